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


def run_step(suites, tmp_path, script, **variables):
    """The step with the made-up harness in place of cargo."""
    assert script.count("-- cargo bench") == 1
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


def test_the_job_for_gitlab_leaves_its_reports(suites, steps, tmp_path):
    base = suites.suite(sort=100)
    head = suites.suite(sort=130)
    (script,) = steps(RECIPES / "gitlab-benchmarks.yml", "- |").values()
    variables = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_COMMIT_SHA": head}
    done = run_step(suites, tmp_path, script, **variables)
    assert done.returncode == 1, done.stderr
    assert (suites.path / "gate.md").read_text().startswith("### ✗ 1 of 1 slower")
    assert "<testcase" in (suites.path / "gate.xml").read_text()
