"""Runs in which a failure or a timeout is an outcome: they go to the end of the design."""

from __future__ import annotations

from collections import Counter

import pytest

from steelyard.core.errors import InterruptedRunError, ProgramError, RecordError, SpecError
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.answer.status import status
from steelyard.lab.run.run import run
from steelyard.store import Record

NEVER = ["sleep", "9"]
"""A program that reaches any time limit of these tests."""
SOLVERS = {"commands": {"quick": ["true"], "stuck": NEVER}, "timeout": "0.05 s"}
AS_LIMIT = {"estimand": "median_ratio", "failures": "as-limit"}


def outcomes(record: Record) -> dict[str, Counter[str]]:
    labels = {treatment.id: treatment.label for treatment in record.treatments}
    counts: dict[str, Counter[str]] = {}
    for _, measurement in record.stream_measurements():
        counts.setdefault(labels[measurement.treatment], Counter())[measurement.status] += 1
    return counts


def test_a_program_that_always_times_out_does_not_end_the_study(run_in):
    record = run_in(program={**SOLVERS, "on_failure": "continue"}, design={"blocks": 4, "discard": 0})
    assert outcomes(record)["stuck"] == {"timed_out": 4}
    about = status(record)
    assert (about.state, about.blocks_done, about.blocks_planned) == ("complete", 4, 4)
    assert about.failures["stuck"].timed_out == 4


def test_crashes_are_outcomes_too_and_no_block_is_run_twice(run_in):
    program = {"commands": {"good": ["true"], "crash": ["false"]}, "on_failure": "continue"}
    record = run_in(program=program, design={"blocks": 25, "discard": 1})
    assert outcomes(record) == {"good": {"ok": 26}, "crash": {"failed": 26}}


def test_a_study_that_counts_its_limit_goes_on_without_the_key(run_in):
    record = run_in(program=SOLVERS, design={"blocks": 7, "discard": 0}, analysis=AS_LIMIT)
    assert outcomes(record)["stuck"] == {"timed_out": 7}
    answer = analyze(record)
    stuck = answer.samples[1]
    assert (stuck.failures.attempted, stuck.failures.timed_out, stuck.summary.n) == (7, 7, 7)
    assert "failures_as_limit" in [notice.kind for notice in answer.warnings]


def test_a_time_that_programs_report_counts_as_its_own_limit(run_in):
    commands = {"quick": ["sh", "-c", "echo 1.5"], "slow": ["sh", "-c", "echo 3"], "stuck": NEVER}
    record = run_in(
        program={"commands": commands, "timeout": "0.2 s"},
        design={"blocks": 7, "discard": 0},
        metrics={"solve": {"pattern": "(.+)", "unit": "s", "limit": 600}},
        analysis={**AS_LIMIT, "metric": "solve"},
    )
    values = {
        sample.treatment.label: ({*sample.values}, sum(sample.censored))
        for sample in record.times_to_limit(600.0, "solve")
    }
    assert values == {"quick": ({1.5}, 0), "slow": ({3.0}, 0), "stuck": ({600.0}, 7)}
    assert [comparison.verdict for comparison in analyze(record).judged] == ["slower", "slower"]


def test_such_a_study_can_say_that_it_is_to_stop(tmp_path, make_experiment):
    experiment = make_experiment(program={**SOLVERS, "on_failure": "stop"}, analysis=AS_LIMIT)
    with pytest.raises(ProgramError, match="3 trials in a row failed") as caught:
        run(experiment, tmp_path / "made.lab")
    assert 'on_failure = "continue"' in (caught.value.hint or "")


def test_a_study_that_was_interrupted_goes_on_to_its_last_block(tmp_path, make_experiment):
    experiment = make_experiment(
        program={**SOLVERS, "on_failure": "continue"}, design={"blocks": 3, "discard": 0}
    )
    with pytest.raises(InterruptedRunError):
        run(experiment, tmp_path / "made.lab", watch=interrupt_after_two)
    run(experiment, tmp_path / "made.lab")
    with Record.open(tmp_path / "made.lab") as record:
        assert outcomes(record)["stuck"] == {"timed_out": 3}
        assert [outcome.block.id for outcome in record.outcomes()] == [1, 2, 3]


def interrupt_after_two(progress):
    if progress.blocks_done >= 1:
        raise KeyboardInterrupt


def test_a_hook_that_fails_is_no_outcome_of_a_program(tmp_path, make_experiment):
    program = {"command": ["true"], "prepare": ["false"], "on_failure": "continue"}
    with pytest.raises(ProgramError, match="a prepare or cleanup command"):
        run(make_experiment(program=program), tmp_path / "made.lab")


def test_an_answer_about_times_names_the_command_that_counts_every_run(run_in):
    record = run_in(program={**SOLVERS, "on_failure": "continue"}, design={"blocks": 2, "discard": 0})
    with pytest.raises(RecordError, match="each of 2 blocks has a run that failed") as caught:
        analyze(record)
    assert "steelyard solvers" in (caught.value.hint or "")


def test_outcomes_leave_no_precision_to_stop_at(make_experiment):
    design = {"blocks": 3, "stop": {"rel_halfwidth": 0.01, "max_blocks": 20}}
    with pytest.raises(SpecError, match="runs every block once, and rel_halfwidth ends a run by its values"):
        make_experiment(program={**SOLVERS, "on_failure": "continue"}, design=design)
    assert not make_experiment(program=SOLVERS, design=design, analysis=AS_LIMIT).keeps_failures
