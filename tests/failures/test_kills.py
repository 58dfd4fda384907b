"""Kill -9 at random moments: the same plan is completed, nothing is lost, doubled or left."""

from __future__ import annotations

import random

import killing
import pytest

from steelyard.lab.answer.status import status
from steelyard.lab.run.run import run
from steelyard.run.runner.strays import find_strays
from steelyard.spec import experiment
from steelyard.store import Record

MOMENTS = 25
"""For each victim: 100 in all."""


def _victims(who, pid):
    """The processes to kill, in order; none where the run ended before they were there."""
    if who == "python":
        return [pid]
    guard, runner = killing.find(pid, killing.GUARD), killing.find(pid, killing.RUNNER)
    return {"runner": [runner], "guard": [guard], "all": [guard, runner, pid]}[who]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    directory = tmp_path_factory.mktemp("uninterrupted")
    run(killing.logging_experiment(directory), directory / "a.lab")
    return killing.tables(directory / "a.lab")


@pytest.mark.parametrize("who", ["python", "runner", "guard", "all"])
def test_after_kills_at_any_moment_runs_complete_the_plan_and_lose_nothing(tmp_path, uninterrupted, who):
    draw = random.Random(f"kill {who}")
    kills = experiments = 0
    while kills < MOMENTS:
        place = tmp_path / str(experiments := experiments + 1)
        place.mkdir()
        directory, log = place / "a.lab", place / "log"
        result = killing.logging_experiment(place)
        moments = []
        code = None
        before = kills
        while code != 0:
            pid = killing.start_run(result, directory)
            # Python may die while it makes the record, too; the runner and its guard come later.
            killing.pause(draw, 0.06 if who == "python" else 0, kills - before)
            victims = _victims(who, pid)
            killing.pause(draw, 0 if who == "python" else 0.03, kills - before)
            for victim in draw.sample(victims, len(victims)):
                killing.kill(victim)
            code = killing.end_of(pid)
            assert code in (0, 5, -9), "Python failed; its traceback is above"
            kills += code != 0
            moments.append(killing.finished(directory, log))
        assert killing.tables(directory) == uninterrupted
        killing.check_nothing_lost_or_doubled(directory, log, moments)
        with Record.open(directory) as record:
            assert find_strays(record.id) == []
            # Killed between its last transaction and the deletion of its journal, a run leaves its name.
            assert not any(journal.unmoved_bytes for journal in record.journals())
            assert record.holder() is None
        assert {path.name for path in place.iterdir()} == {"a.lab", "log"}


def test_a_run_whose_runner_was_killed_is_called_interrupted(tmp_path):
    spec_ = experiment(program={"command": ["sleep", "0.1"]}, design={"blocks": 1000, "discard": 0})
    pid = killing.start_run(spec_, tmp_path / "a.lab")
    killing.kill(killing.find(pid, killing.RUNNER))
    assert killing.end_of(pid) == 5
    with Record.open(tmp_path / "a.lab") as record:
        assert [run.state for run in record.runs()] == ["died"]
        assert status(record).state == "interrupted"
