"""Experiments in processes of their own, which can be killed at any moment, and what their records hold."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.core.errors import RecordError, SteelyardError
from steelyard.lab.run.run import run
from steelyard.run.runner.journal import read_journal
from steelyard.spec import experiment
from steelyard.spec.experiment import Experiment
from steelyard.store import Record

GUARD, RUNNER = "steelyard-guard", "steelyard-run"
PATIENCE_S = 120.0
"""For what must happen soon; a test that reaches it has failed."""


def logging_experiment(source: Path, *, blocks: int = 12, seed: int = 1, **keys: Any) -> Experiment:
    """Two commands that append the number of their trial to ``source/log``."""
    write = 'echo "$1" >> "$0"'
    commands = {arm: ["/bin/sh", "-c", write, "{source}/log", "{trial}", arm] for arm in ("one", "the other")}
    return experiment(
        name="logging",
        source=str(source),
        program={"commands": commands},
        design={"blocks": blocks, "discard": 1, "seed": seed},
        **keys,
    )


def start(work: Callable[[], object]) -> int:
    """Do ``work`` in a copy of this process; the exit code is that of the command line, 70 for a bug."""
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        work()
        code = 0
    except SteelyardError as error:
        sys.stderr.write(f"{error.message}\n")  # shown by pytest where the test fails
        code = error.exit_code
    except KeyboardInterrupt:
        code = 130
    except BaseException:  # noqa: BLE001 -- nothing may reach pytest in this copy of it
        traceback.print_exc()
    finally:
        os._exit(code)


def start_run(declared: Experiment, directory: Path) -> int:
    """The run in a process of its own."""
    return start(lambda: run(declared, directory))


def end_of(pid: int) -> int:
    """Wait for a process: its exit code, or minus the signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def has_ended(pid: int) -> bool:
    """Whether it is a zombie, or gone."""
    return _state(pid) in ("Z", "X", None)


def _state(pid: int) -> str | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def _name(pid: int) -> str | None:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return None


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def below(pid: int) -> Iterator[tuple[int, str]]:
    """(pid, name) of every process below another."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return
    for child in map(int, children):
        if (name := _name(child)) is not None:
            yield child, name
            yield from below(child)


def find(pid: int, name: str) -> int | None:
    """The process of this name below ``pid``; waits for it, ``None`` where ``pid`` ends without.

    Until a process takes its own name it has its parent's: a runner that of its guard, a trial that of its
    runner.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not has_ended(pid):
        for child, called in below(pid):
            if called == name and _name(_parent(child)) not in (name, None):
                return child
        assert time.monotonic() < deadline, f"no {name} below {pid}"
    return None


def pause(draw: random.Random, most_s: float, kills: int) -> None:
    """Wait for a moment to kill a run; up to a longer one after each kill, since on a loaded machine a run
    may get no further in ``most_s``, however often it is started.
    """
    time.sleep(draw.uniform(0, most_s * 1.2**kills))


def kill(pid: int | None, number: int = signal.SIGKILL) -> None:
    """Send a signal; a process that is gone needs none."""
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


@dataclass(frozen=True)
class Finished:
    """Trials that were in the record or its journals at a moment, and how long the log was after that."""

    trials: Mapping[int, tuple[int, int]]
    """To (start_ns, wall_ns)."""
    log_length: int


def finished(directory: Path, log: Path) -> Finished:
    """What is not to be lost or done again from now on."""
    trials: dict[int, tuple[int, int]] = {}
    try:
        with Record.open(directory) as record:
            for journal in record.journals():
                if journal.path.exists():
                    raw_trials, _ = read_journal(journal.path, journal.moved_bytes)
                    trials |= {raw.trial: (raw.start_ns, raw.wall_ns) for raw in raw_trials}
        trials |= {id_: times for id_, *times in rows(directory, "SELECT id, start_ns, wall_ns FROM trial")}
    except RecordError:
        assert not directory.exists(), "a record that cannot be read"
    trials = {trial: (times[0], times[1]) for trial, times in trials.items()}
    return Finished(trials, len(logged(log)))


def logged(log: Path) -> list[int]:
    """Trials by the order in which they ended."""
    return [int(line) for line in log.read_text().splitlines()] if log.exists() else []


def tables(directory: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What of a record must not depend on times or on who ran it."""
    return {
        "treatment": rows(directory, "SELECT id, label, levels FROM treatment ORDER BY id"),
        "context": rows(directory, "SELECT * FROM context ORDER BY id"),
        "block": rows(directory, "SELECT * FROM block ORDER BY id"),
        "trial": rows(
            directory,
            "SELECT id, block, place, treatment, status, exit_code, signal FROM trial ORDER BY id",
        ),
    }


def rows(directory: Path, sql: str) -> list[tuple[Any, ...]]:
    """What a query of the tables gives."""
    connection = sqlite3.connect(f"file:{directory}/record.sqlite?mode=ro", uri=True)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def check_nothing_lost_or_doubled(directory: Path, log: Path, moments: Sequence[Finished]) -> None:
    """Every trial that had finished at one of the moments is in the record as it was, and was not run
    again."""
    at_end = finished(directory, log)
    order = logged(log)
    for moment in moments:
        for trial, times in moment.trials.items():
            assert at_end.trials[trial] == times, f"trial {trial} was lost, and measured anew"
        again = set(order[moment.log_length :]) & set(moment.trials)
        assert not again, f"trials {sorted(again)} had finished and ran again"
    assert set(order) == set(at_end.trials)
