"""Restarts between blocks and treatments, played by a command that does no harm."""

from __future__ import annotations

import pytest

from steelyard.core.errors import InterruptedRunError, ProgramError
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.answer.boots import confounded_boots
from steelyard.lab.run.run import run
from steelyard.spec import experiment
from steelyard.store import Record


@pytest.fixture
def boots(monkeypatch):
    """The machine's boot id: ``boots[0]``, as the run sees it."""
    now = ["boot-0"]
    monkeypatch.setattr("steelyard.lab.run.run.boot_id", lambda: now[0])
    return now


@pytest.fixture
def until_complete(tmp_path, boots):
    """``until_complete(experiment)``: runs it again and again, each time after a restart of the machine."""

    def go(declared, *, most=40):
        text = []
        for number in range(1, most):
            try:
                assert run(declared, tmp_path / "made.lab") == "complete"
            except InterruptedRunError as due:
                text.append((due.message, due.hint))
            else:
                return text
            boots[0] = f"boot-{number}"
        raise AssertionError("it does not end")

    return go


def restarting(tmp_path, *, key, **design):
    return experiment(
        name="restarting",
        source=str(tmp_path),
        program={
            "command": ["/bin/sh", "-c", "echo $0 >> log", "{arm}"],
            key: ["/bin/sh", "-c", "echo restart >> log"],
        },
        factors={"arm": ["a", "b"]},
        design={"discard": 1, **design},
    )


def test_between_treatments_the_run_ends_and_the_next_one_goes_on(tmp_path, until_complete):
    result = restarting(tmp_path, key="between_treatments", blocks=3, order="nogueira-matias-2014")
    ((message, hint),) = until_complete(result)
    assert (tmp_path / "log").read_text().split() == [*"aaaa", "restart", *"bbbb"]
    assert message.startswith("between_treatments has run after the runs of a")
    assert "steelyard run" in hint
    with Record.open(tmp_path / "made.lab") as record:
        assert record.progress().blocks == {"discarded": 2, "complete": 6}
        assert [item.state for item in record.runs()] == ["interrupted", "complete"]
        assert len({run.boot for run in record.runs()}) == 2


def test_a_start_of_its_own_for_each_treatment_is_flagged_with_the_answer(tmp_path, until_complete):
    until_complete(restarting(tmp_path, key="between_treatments", blocks=5, order="nogueira-matias-2014"))
    with Record.open(tmp_path / "made.lab") as record:
        result = confounded_boots(record)
        assert result.startswith("a and b were never measured after the same start of the machine")
        answer = analyze(record)
        assert result in [warning.fields.get("text") for warning in answer.warnings]


def test_between_blocks_the_machine_restarts_after_each_and_the_last_is_the_end(tmp_path, until_complete):
    result = restarting(tmp_path, key="between_blocks", blocks=3)
    assert len(until_complete(result)) == 3
    parts = (tmp_path / "log").read_text().split()
    assert [word == "restart" for word in parts] == [False, False, True] * 3 + [False, False]
    with Record.open(tmp_path / "made.lab") as record:
        assert confounded_boots(record) is None
        assert record.progress().blocks == {"discarded": 1, "complete": 3}


def test_a_command_that_fails_is_told_and_the_next_run_goes_on_without_it(tmp_path, boots):
    spec_ = experiment(
        name="failing",
        source=str(tmp_path),
        program={"command": ["true"], "between_blocks": ["/bin/sh", "-c", "exit 7"]},
        design={"blocks": 1, "discard": 1},
    )
    with pytest.raises(ProgramError, match="between_blocks failed after block 1") as caught:
        run(spec_, tmp_path / "made.lab")
    assert "goes on without it" in caught.value.hint
    assert run(spec_, tmp_path / "made.lab") == "complete"


def test_one_start_of_the_machine_confounds_nothing(run_in):
    assert confounded_boots(run_in()) is None
