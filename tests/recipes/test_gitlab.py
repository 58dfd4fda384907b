"""The recipe for GitLab, its script run on a scratch repository."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(("cost", "code", "sign"), [(10, 1, "✗"), (1, 0, "✓")])
def test_the_job_ends_with_the_exit_code_of_check_and_leaves_its_reports(
    scratch, steps, recipes, cost, code, sign
):
    base = scratch.program(1)
    head = scratch.program(cost, message="head")
    parts = steps(recipes / "gitlab.yml", "- |")
    script = "\n".join([*parts.values(), 'exit "$code"'])
    done = scratch.bash(
        script,
        SPEC="steelyard.toml",
        BUILD="cp prog.in prog && chmod +x prog",
        CI_MERGE_REQUEST_DIFF_BASE_SHA=base,
        CI_COMMIT_SHA=head,
    )
    assert done.returncode == code, done.stderr
    results = scratch.path / "steelyard-results"
    assert (results / "verdicts.md").read_text().startswith(f"### {sign} Steelyard: 1 ")
    assert (results / f"{head}.lab").is_dir()
    assert (results / "verdicts.xml").is_file()


@pytest.mark.parametrize("event", ["merged_result", "merge_train", "detached"])
def test_what_others_merged_is_not_blamed_on_a_change(scratch, steps, recipes, event):
    fork, head, merge = scratch.change_beside(16)
    parts = steps(recipes / "gitlab.yml", "- |")
    done = scratch.bash(
        "\n".join([*parts.values(), 'exit "$code"']),
        SPEC="steelyard.toml",
        BUILD="cp prog.in prog && chmod +x prog",
        CI_MERGE_REQUEST_EVENT_TYPE=event,
        CI_MERGE_REQUEST_DIFF_BASE_SHA=fork,
        CI_COMMIT_SHA=head if event == "detached" else merge,
    )
    assert done.returncode == 0, done.stderr
