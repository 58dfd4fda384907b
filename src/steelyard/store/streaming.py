"""Trials one after the other, as they were taken, in memory that does not grow."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import msgspec

from steelyard.run.measure.measurement import Measurement, Value

_TRIALS = (
    "SELECT run, reason, id, block, place, treatment, status, start_ns, wall_ns, user_us, system_us,"
    " rss_bytes, minor_faults, major_faults, voluntary_switches, involuntary_switches, queue_wait_ns,"
    " exit_code, signal, cpu, argv_bytes, env_bytes, left_processes FROM trial ORDER BY id"
)


def measurements(connection: sqlite3.Connection) -> Iterator[tuple[int, Measurement]]:
    """The run and the measurement of each trial, in the order of the plan; without captured output."""
    # The values come first: as long as they are being read, all that is read is of one state of the record.
    values = connection.execute("SELECT trial, metric, labels, i, v FROM value ORDER BY trial")
    ahead = values.fetchone()
    names = dict(connection.execute("SELECT id, name FROM metric"))
    labels = {
        id_: msgspec.json.decode(text) for id_, text in connection.execute("SELECT id, labels FROM labels")
    }
    for run, reason, trial, *fields in connection.execute(_TRIALS):
        own = []
        while ahead is not None and ahead[0] == trial:
            _, metric, label, i, value = ahead
            own.append(Value(names[metric], value, i, labels[label]))
            ahead = values.fetchone()
        its = [trial, *fields, reason, tuple(own)]
        yield run, Measurement(*its)
