"""Kill -9 in the order of rows, with restarts between treatments: the same plan in the end."""

from __future__ import annotations

import random

import killing
import pytest

from steelyard.spec import experiment

KILLS = 4
"""For each victim; after them, a run goes on to its end."""


def in_rows(source):
    # Long enough that a run outlasts the moment at which it is killed.
    write = 'echo "$1" >> "$0"; sleep 0.01'
    commands = {arm: ["/bin/sh", "-c", write, "{source}/log", "{trial}", arm] for arm in ("one", "the other")}
    return experiment(
        name="rows",
        source=str(source),
        program={
            "commands": commands,
            "between_treatments": ["/bin/sh", "-c", 'echo restart >> "$0"', "{source}/restarts"],
        },
        design={"blocks": 12, "discard": 1, "order": "nogueira-matias-2014"},
    )


def until_complete(declared, directory, victims=lambda _pid: ()):
    """Run it again and again; gives the moments after each run, and how many runs were killed."""
    moments, kills = [], 0
    for _ in range(200):
        pid = killing.start_run(declared, directory)
        for victim in victims(pid):
            killing.kill(victim)
        code = killing.end_of(pid)
        assert code in (0, 5, 130, -9), "Python failed; its traceback is above"
        kills += code in (5, -9)
        moments.append(killing.finished(directory, directory.parent / "log"))
        if code == 0:
            return moments, kills
    raise AssertionError("it does not end")


@pytest.mark.parametrize("who", ["python", "all"])
def test_after_kills_the_rows_are_completed_and_the_machine_restarts_once_at_most(tmp_path, who):
    draw = random.Random(f"rows {who}")
    (tmp_path / "0").mkdir()
    until_complete(in_rows(tmp_path / "0"), tmp_path / "0" / "a.lab")
    result = killing.tables(tmp_path / "0" / "a.lab")
    assert (tmp_path / "0" / "restarts").read_text() == "restart\n"

    spent = []

    def victims(pid):
        if len(spent) == 2 * KILLS:
            return []
        spent.append(pid)
        guard, runner = killing.find(pid, killing.GUARD), killing.find(pid, killing.RUNNER)
        killing.pause(draw, 0.1, len(spent) % KILLS)
        return [pid] if who == "python" else [guard, runner, pid]

    kills = number = 0
    while kills < KILLS and number < KILLS:
        place = tmp_path / str(number := number + 1)
        place.mkdir()
        moments, more = until_complete(in_rows(place), place / "a.lab", victims)
        kills += more
        assert killing.tables(place / "a.lab") == result
        killing.check_nothing_lost_or_doubled(place / "a.lab", place / "log", moments)
        restarts = place / "restarts"
        # Killed between the last run of a row and its restart, the next run goes on without it.
        assert not restarts.exists() or restarts.read_text() == "restart\n"
    assert kills
