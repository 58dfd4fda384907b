"""Two records whose programs are still there, measured in turns."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.compare.compare import CompareRequest
from steelyard.lab.compare.confirming import experiment_in_turns
from steelyard.lab.run.run import run
from steelyard.store import Record


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """``recorded(name, *commands, **keys)``: the record of a few runs."""
    monkeypatch.chdir(tmp_path)

    def make(name, *commands, **keys):
        plan = CompareRequest(
            commands=commands, blocks=5, rel_halfwidth=None, discard=0, metric="rss_bytes", **keys
        )
        run(plan.experiment(), tmp_path / name)
        return tmp_path / name

    return make


def test_the_command_of_each_record_is_measured_in_turns(recorded, sizes, tmp_path):
    small, large = sizes
    old, new = recorded("old.lab", large), recorded("new.lab", small)
    plan = experiment_in_turns(old, new, metric=None, seed=1)
    run(plan, tmp_path / "both.lab")
    with Record.open(tmp_path / "both.lab") as record:
        (comparison,) = analyze(record).judged
        orders = {outcome.block.order for outcome in record.outcomes()}
    assert comparison.verdict == "faster"
    assert comparison.baseline.levels == {"command": str(old)}
    assert comparison.speedup.unit != "unpaired"
    assert all(set(order) == {1, 2} for order in orders)


def test_parameters_of_both_records_stay(recorded):
    old = recorded("old.lab", "echo {s}", parameters={"s": ["1", "2"]})
    new = recorded("new.lab", "printf {s}", parameters={"s": ["1", "2"]})
    plan = experiment_in_turns(old, new, metric=None, seed=1)
    assert [(factor.name, tuple(factor.levels)) for factor in plan.factors] == [
        ("command", (str(old), str(new))),
        ("s", (1, 2)),
    ]
    assert plan.analysis.metric == "rss_bytes"


def test_a_program_that_was_built_anew_since_is_refused(recorded, tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    old = recorded("old.lab", "./program")
    program.write_text("#!/bin/sh\n# another\nexit 0\n")
    new = recorded("new.lab", "./program")
    with pytest.raises(UsageError, match=r"program is not there any more as .*old\.lab has measured it"):
        experiment_in_turns(old, new, metric=None, seed=1)
    program.unlink()
    with pytest.raises(UsageError, match="not there any more"):
        experiment_in_turns(new, old, metric=None, seed=1)


@pytest.mark.parametrize(
    ("commands", "keys", "says"),
    [
        (("true", "echo"), {}, "has several commands"),
        (("true {s}",), {"parameters": {"s": ["1", "2"]}}, r"their \[factors\] differ"),
        (("true",), {"timeout_s": 3.0}, r"they differ in program\.timeout"),
    ],
)
def test_records_that_differ_in_more_than_their_command_are_refused(recorded, commands, keys, says):
    old, new = recorded("old.lab", "true"), recorded("new.lab", *commands, **keys)
    with pytest.raises(UsageError, match=says) as error:
        experiment_in_turns(old, new, metric=None, seed=1)
    assert error.value.hint


def test_on_the_command_line_the_answer_is_that_of_turns_and_commands_are_refused(
    recorded, sizes, steelyard_cli
):
    small, large = sizes
    recorded("old.lab", large)
    recorded("new.lab", small)
    done = steelyard_cli("compare", "old.lab", "new.lab", "--confirm", "-o", "both.lab")
    assert done.returncode == 0, done.stderr
    assert "less rss_bytes than old.lab" in done.stdout
    assert "made apart" not in done.stdout
    assert done.stdout.endswith("record: both.lab\n")
    refused = steelyard_cli("compare", "true", "echo", "--confirm")
    assert refused.returncode == 2
    assert "--confirm is for two records" in refused.stderr
