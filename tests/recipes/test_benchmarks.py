"""The recipes without a spec, their steps run on a scratch repository with a made-up harness."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scratch_repository import Suites

RECIPES = Path(__file__).parents[2] / "recipes"


@pytest.fixture
def suites(tmp_path):
    return Suites(tmp_path / "repository")


def run_step(suites, tmp_path, script, *, measures=True, **variables):
    """The step with the made-up harness in place of cargo."""
    assert script.count("-- cargo bench") == int(measures)
    script = script.replace("-- cargo bench", "--harness google-benchmark -- ./bench")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "XDG_STATE_HOME": str(tmp_path / "state"), **variables}
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=suites.path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("cost", "code", "sign"), [(130, 1, "✗ 1 of 1 slower"), (100, 0, "✓ 1 of 1 within 3 %")]
)
def test_the_step_for_github_annotates_and_writes_the_summary(suites, steps, tmp_path, cost, code, sign):
    base = suites.suite(sort=100)
    suites.suite(sort=cost)
    summary = tmp_path / "summary.md"
    summary.touch()
    script = steps(RECIPES / "github" / "benchmarks.yml")["Gate"]
    done = run_step(suites, tmp_path, script, BASE=base, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == code, done.stderr
    assert summary.read_text().startswith(f"### {sign}")
    assert ("::error title=sort slower::" in done.stderr) == bool(code)


HEAD = "0123456789abcdef0123456789abcdef01234567"
GH = """\
#!/bin/sh
# What the recipe asks of GitHub's program: the last commit of a pull request, and a comment.
case "$1 $2" in
  "pr view") echo "$LAST" ;;
  "pr comment") cp comment.md "posted-$3.md" ;;
  *) exit 64 ;;
esac
"""


def comment(tmp_path, steps, *, pull, last=HEAD):
    """Run the second workflow of a fork on what the first one left."""
    (tmp_path / "steelyard-results" / "pull").write_text(pull)
    program = tmp_path / "bin" / "gh"
    program.parent.mkdir()
    program.write_text(GH)
    program.chmod(0o755)
    script = steps(RECIPES / "github" / "fork-comment.yml")["Comment"]
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env={"PATH": f"{program.parent}:/usr/bin:/bin", "HEAD": HEAD, "LAST": last, "CONCLUSION": "failure"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def answered(tmp_path):
    """What the first workflow of a fork leaves: here, a text that would do more than say something."""
    (tmp_path / "steelyard-results").mkdir()
    text = "### ✗ 1 of 1 slower\n@everyone ![x](https://example.org/x.png)\n```\n</details>\n"
    (tmp_path / "steelyard-results" / "gate.md").write_text(text)


@pytest.mark.usefixtures("answered")
def test_the_comment_on_a_fork_shows_its_answer_as_text_alone(steps, tmp_path):
    process = comment(tmp_path, steps, pull="17\n")
    assert process.returncode == 0, process.stderr
    head, _, *lines = (tmp_path / "posted-17.md").read_text().splitlines()
    assert head == f"Benchmarks of {HEAD}: failure. Measured without rights, shown as text:"
    assert lines[0] == "    ### ✗ 1 of 1 slower"
    assert all(line.startswith("    ") for line in lines)


@pytest.mark.usefixtures("answered")
@pytest.mark.parametrize(
    ("pull", "last", "message"),
    [
        ("17; rm -rf .", HEAD, "left no number of a pull request"),
        ("", HEAD, "left no number of a pull request"),
        ("18", "f" * 40, "is not the last commit of pull request 18"),
    ],
)
def test_the_comment_on_a_fork_believes_no_number_that_it_left(steps, tmp_path, pull, last, message):
    process = comment(tmp_path, steps, pull=pull, last=last)
    assert process.returncode == 2
    assert message in process.stdout
    assert not list(tmp_path.glob("posted-*"))


def test_the_first_workflow_of_a_fork_leaves_its_answer_and_the_number(suites, steps, tmp_path):
    base = suites.suite(sort=100)
    suites.suite(sort=130)
    script = steps(RECIPES / "github" / "fork-measure.yml")["Gate"]
    process = run_step(suites, tmp_path, script, BASE=base, PULL="17")
    assert process.returncode == 1, process.stderr
    results = suites.path / "steelyard-results"
    assert (results / "pull").read_text() == "17\n"
    assert (results / "gate.md").read_text().startswith("### ✗ 1 of 1 slower")


def test_the_workflow_that_runs_a_forks_code_may_write_nothing():
    text = (RECIPES / "github" / "fork-measure.yml").read_text()
    assert "permissions:\n  contents: read\n" in text
    assert "write" not in text.partition("permissions:")[2]
    assert "secrets" not in text
    assert "checkout" not in (RECIPES / "github" / "fork-comment.yml").read_text()


CURL = """\
#!/bin/sh
# What the recipe asks of GitLab: a merge request, the jobs of its pipeline, a file, a comment.
for last; do :; done
case "$last" in
  */merge_requests/9)
    printf '{"source_project_id": 5, "sha": "abc", "head_pipeline": {"id": 3, "sha": "%s"}}' "$MEASURED" ;;
  */5/pipelines/3/jobs) echo '[{"id": 1, "name": "lint"}, {"id": 2, "name": "benchmarks"}]' ;;
  */5/jobs/2/artifacts/gate.md) printf '### slower\n@all\n' ;;
  */7/merge_requests/9/notes) cp comment.md posted.md ;;
  *) exit 22 ;;
esac
"""


@pytest.mark.parametrize("measured", ["abc", "older"])
def test_the_job_for_forks_on_gitlab_shows_the_answer_of_the_last_commit_alone(steps, tmp_path, measured):
    program = tmp_path / "bin" / "curl"
    program.parent.mkdir()
    program.write_text(CURL)
    program.chmod(0o755)
    (script,) = steps(RECIPES / "gitlab-benchmarks.yml", "- |-").values()
    variables = {"CI_API_V4_URL": "https://example.org/api/v4", "CI_PROJECT_ID": "7", "MERGE_REQUEST": "9"}
    path = f"{program.parent}:{Path(sys.executable).parent}:/usr/bin:/bin"
    process = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env={"PATH": path, "STEELYARD_TOKEN": "t", "MEASURED": measured, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    if measured == "abc":
        assert process.returncode == 0, process.stderr
        lines = (tmp_path / "posted.md").read_text().splitlines()
        assert lines == [
            "Benchmarks of abc, measured in the fork, shown as text:",
            "",
            "    ### slower",
            "    @all",
        ]
    else:
        assert process.returncode != 0
        assert "the last commit was not measured" in process.stderr
        assert not (tmp_path / "posted.md").exists()


def test_the_job_for_gitlab_leaves_its_reports(suites, steps, tmp_path):
    base = suites.suite(sort=100)
    head = suites.suite(sort=130)
    (script,) = steps(RECIPES / "gitlab-benchmarks.yml", "- |").values()
    variables = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_COMMIT_SHA": head}
    done = run_step(suites, tmp_path, script, **variables)
    assert done.returncode == 1, done.stderr
    assert (suites.path / "gate.md").read_text().startswith("### ✗ 1 of 1 slower")
    assert "<testcase" in (suites.path / "gate.xml").read_text()


def shard_of_github(steps, number):
    script = steps(RECIPES / "github" / "shards.yml")["Shard"]
    return script, {"SHARD": str(number), "COUNT": "2"}


def shard_of_gitlab(steps, number):
    (script,) = steps(RECIPES / "gitlab-shards.yml", "- |").values()
    return script, {"CI_NODE_INDEX": str(number), "CI_NODE_TOTAL": "2"}


@pytest.mark.parametrize("server", ["github", "gitlab"])
def test_shards_of_a_suite_make_one_verdict_and_a_missing_one_is_not_green(suites, steps, tmp_path, server):
    base = suites.suite(sort=100, find=100)
    head = suites.suite(sort=130, find=100)
    revisions = {"BASE": base, "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_COMMIT_SHA": head}
    find_shard = shard_of_github if server == "github" else shard_of_gitlab
    for number in (1, 2):
        script, variables = find_shard(steps, number)
        state = tmp_path / str(number)
        done = run_step(suites, state, script, **variables, **revisions)
        assert done.returncode == 0, done.stderr
    if server == "github":
        script = steps(RECIPES / "github" / "shards.yml")["Verdict"]
    else:
        (script,) = steps(RECIPES / "gitlab-shards.yml", "- |-").values()
    summary = suites.path / ("summary.md" if server == "github" else "gate.md")
    summary.touch()
    variables = {"GITHUB_STEP_SUMMARY": str(summary)}
    verdict = run_step(suites, tmp_path, script, measures=False, **variables)
    assert verdict.returncode == 1, verdict.stderr
    assert summary.read_text().startswith("### ✗ 1 of 2 slower")
    # The shard whose benchmarks are all alike: without it nothing more is slower.
    (suites.path / "steelyard-shards" / "1.json").unlink()
    verdict = run_step(suites, tmp_path, script, measures=False, **variables)
    assert verdict.returncode == 2
    assert "shard 1/2 is missing" in verdict.stderr
    (suites.path / "steelyard-shards" / "2.json").unlink()
    assert run_step(suites, tmp_path, script, measures=False, **variables).returncode == 2


@pytest.mark.parametrize("server", ["github", "gitlab"])
def test_a_shard_that_cannot_be_gated_fails_and_leaves_no_answer(suites, steps, tmp_path, server):
    suites.suite(sort=100, find=100)
    revisions = {"BASE": "none", "CI_MERGE_REQUEST_DIFF_BASE_SHA": "none", "CI_COMMIT_SHA": "HEAD"}
    find_shard = shard_of_github if server == "github" else shard_of_gitlab
    script, variables = find_shard(steps, 1)
    done = run_step(suites, tmp_path, script, **variables, **revisions)
    assert done.returncode == 2
    assert not [*(suites.path / "steelyard-shards").iterdir()]
