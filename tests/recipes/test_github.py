"""The composite action and the workflows for GitHub, their steps run on a scratch repository."""

from __future__ import annotations

import json
import shutil

import pytest

BUILD = "cp prog.in prog && chmod +x prog"


@pytest.fixture
def gate(scratch, steps, recipes, tmp_path):
    """``gate(base, head)`` runs the action's steps on two commits and returns its verdict and its files."""
    action = steps(recipes / "github" / "action.yml")

    def run(base: str, head: str, strict: str = "false"):
        files = {"GITHUB_OUTPUT": tmp_path / "output", "GITHUB_STEP_SUMMARY": tmp_path / "summary"}
        env = {
            **{name: str(file) for name, file in files.items()},
            "SPEC": "steelyard.toml",
            "BUILD": BUILD,
            "BASE": base,
            "HEAD": head,
            "STRICT": strict,
            "GITHUB_WORKSPACE": str(scratch.path),
        }
        built = scratch.bash(action["Build base and head"], **env)
        assert built.returncode == 0, built.stderr
        judged = scratch.bash(action["Measure and judge"], **env)
        assert judged.returncode == 0, judged.stderr
        code = files["GITHUB_OUTPUT"].read_text().strip().rpartition("exit=")[2]
        ended = scratch.bash(action["Fail where a claim fails"], CODE=code)
        return ended.returncode, judged.stderr, files["GITHUB_STEP_SUMMARY"].read_text()

    return run


def test_a_change_that_makes_it_slower_fails_the_gate_and_says_so_at_the_claim(scratch, gate):
    base = scratch.program(1)
    head = scratch.program(10)
    code, annotations, summary = gate(base, head)
    assert code == 1
    assert "::error file=steelyard.toml,line=18," in annotations
    assert summary.startswith("### ✗ Steelyard: 1 fails\n")
    assert "| ✗ | no regression: " in summary
    assert (scratch.path / "steelyard-results" / f"{head}.lab" / "record.sqlite").is_file()
    assert "<failure" in (scratch.path / "steelyard-results" / "verdicts.xml").read_text()


def test_a_change_that_changes_nothing_passes(scratch, gate):
    base = scratch.program(1)
    head = scratch.program(1, message="nothing")
    code, annotations, summary = gate(base, head)
    assert (code, annotations) == (0, "")
    assert summary.startswith("### ✓ Steelyard: 1 holds\n")


def test_a_build_that_fails_ends_the_job_with_its_own_words(scratch, steps, recipes):
    base = scratch.program(1)
    head = scratch.program(1, message="head")
    build = steps(recipes / "github" / "action.yml")["Build base and head"]
    done = scratch.bash(
        build, SPEC="steelyard.toml", BUILD="echo no compiler >&2; exit 7", BASE=base, HEAD=head
    )
    assert done.returncode == 7
    assert "no compiler" in done.stderr


@pytest.mark.parametrize("cost", [1, 16])
def test_what_others_merged_is_not_blamed_on_a_change(scratch, gate, cost):
    _, head, merge = scratch.change_beside(cost)
    code, annotations, _ = gate(f"{merge}^1", head)
    assert (code, annotations) == (0, "")


def test_by_default_the_base_is_the_branch_that_github_merged_into(recipes):
    """``base.sha`` of the event stays as it was, also where the change merges its branch anew."""
    text = (recipes / "github" / "action.yml").read_text()
    assert "${{ github.event_name == 'pull_request' && format('{0}^1', github.sha) || " in text
    assert "BASE: ${{ github.sha }}^1\n" in (recipes / "github" / "machines.yml").read_text()


def test_a_change_that_its_branch_contains_is_refused_before_anything_is_built(scratch, steps, recipes):
    base = scratch.program(1)
    head = scratch.program(1, message="head")
    build = steps(recipes / "github" / "action.yml")["Build base and head"]
    for older in (base, head):
        done = scratch.bash(build, SPEC="steelyard.toml", BUILD="touch built", BASE=head, HEAD=older)
        assert done.returncode == 2
        assert f"::error::{head} contains {older}: nothing to judge" in done.stdout
    assert not list(scratch.path.rglob("built"))


def test_no_script_contains_an_expression_that_an_attacker_could_fill(steps, recipes):
    """What stands in ${{ }} becomes text of a script before bash reads it; branch names are not ours."""
    for file in sorted((recipes / "github").glob("*.yml")):
        for script in steps(file).values():
            assert "${{" not in script, file


def test_each_commit_leaves_a_record_and_the_history_reads_them_all(scratch, steps, recipes, tmp_path):
    history = steps(recipes / "github" / "history.yml")
    spec = '[program]\ncommand = ["./prog"]\n[design]\nblocks = 3\n'
    commits = []
    for place in range(3):
        (scratch.path / "steelyard.toml").write_text(f'name = "each"\n{spec}')
        commits.append(scratch.program(1, message=f"commit {place}"))
        env = {
            "SPEC": "steelyard.toml",
            "BUILD": BUILD,
            "GITHUB_SHA": commits[-1],
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        }
        for name in ("Measure this commit", "Look back"):
            done = scratch.bash(history[name], **env)
            assert done.returncode == 0, done.stderr
    assert "3 records" in (tmp_path / "summary").read_text()
    read = scratch.bash("steelyard history steelyard-history.sqlite --git --json")
    document = json.loads(read.stdout)
    assert [point["commit"] for point in document["series"][0]["points"]] == commits
    assert "3 records from one machine" in document["series"][0]["refused"]
    assert (scratch.path / "steelyard-results" / "history.html").is_file()


def test_a_commit_that_made_it_slower_fails_the_look_back_until_it_is_accepted(
    scratch, steps, recipes, tmp_path
):
    history = steps(recipes / "github" / "history.yml")
    metric = 'cost_s = { source = "stdout", pattern = "cost=(.*)", unit = "s" }'
    spec = f'name = "each"\n[program]\ncommand = ["./prog"]\n[design]\nblocks = 2\n[metrics]\n{metric}\n'
    env = {"SPEC": "steelyard.toml", "BUILD": BUILD, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    commits = []
    for cost in (1, 1, 1, 1, 2, 2, 2, 2):
        (scratch.path / "steelyard.toml").write_text(f'{spec}[analysis]\nmetric = "cost_s"\n')
        commits.append(scratch.program(cost, message=f"cost {cost}"))
        measured = scratch.bash(history["Measure this commit"], **env, GITHUB_SHA=commits[-1])
        assert measured.returncode == 0, measured.stderr
    done = scratch.bash(history["Look back"], **env)
    assert done.returncode == 1, done.stderr
    assert f"from {commits[4][:10]} on" in (tmp_path / "summary").read_text()
    assert "<failure" in (scratch.path / "steelyard-results" / "history.xml").read_text()
    accepted = scratch.bash(history["Look back"], **env, SINCE=commits[5])
    assert accepted.returncode == 0, accepted.stderr


@pytest.fixture
def machines(scratch, steps, recipes, tmp_path):
    """``machines(base, head, count)`` measures on so many made-up runners and judges over all of them."""
    workflow = steps(recipes / "github" / "machines.yml")

    def run(base: str, head: str, count: int):
        env = {"SPEC": "steelyard.toml", "BASE": base, "HEAD": head}
        env["GITHUB_STEP_SUMMARY"] = str(tmp_path / "summary")
        for machine in range(1, count + 1):
            # What a program costs depends on its runner.
            build = f"sed 's/cost=[0-9]*/&{machine}/' prog.in > prog && chmod +x prog"
            built = scratch.bash(workflow["Build base and head"], **env, BUILD=build)
            assert built.returncode == 0, built.stderr
            measured = scratch.bash(workflow["Measure on this machine"], **env, MACHINE=str(machine))
            assert measured.returncode == 0, measured.stderr
            shutil.rmtree(scratch.path / "steelyard.lab")
            shutil.rmtree(scratch.path / "steelyard-trees")
        judged = scratch.bash(workflow["Judge over all machines"], **env)
        return judged.returncode, (tmp_path / "summary").read_text()

    return run


def test_machines_of_a_matrix_give_one_verdict_which_a_slower_change_fails(scratch, machines):
    base = scratch.program(1)
    code, summary = machines(base, scratch.program(10), 3)
    assert code == 1
    assert summary.startswith("### ✗ Steelyard: 1 fails\n")
    assert "slower on 3 of 3 machines" in summary


def test_a_change_that_changes_nothing_passes_on_all_machines(scratch, machines):
    base = scratch.program(1)
    code, summary = machines(base, scratch.program(1, message="nothing"), 3)
    assert code == 0
    assert summary.startswith("### ✓ Steelyard: 1 holds\n")


@pytest.mark.parametrize("cost", [1, 16])
def test_what_others_merged_is_not_blamed_on_a_change_on_any_machine(scratch, machines, cost):
    _, head, merge = scratch.change_beside(cost)
    code, summary = machines(f"{merge}^1", head, 3)
    assert code == 0
    assert summary.startswith("### ✓ Steelyard: 1 holds\n")


def test_a_matrix_of_which_one_machine_is_left_gives_no_verdict(scratch, steps, recipes, tmp_path):
    judge = steps(recipes / "github" / "machines.yml")["Judge over all machines"]
    done = scratch.bash(judge, GITHUB_STEP_SUMMARY=str(tmp_path / "summary"))
    assert done.returncode not in (0, 1)
