"""The verdicts of a record have the sentences that its answer has, and count the runs that failed."""

from __future__ import annotations

import pytest

from steelyard.extensions.exchange.recording import Quantity, RecordedTrial, Selection, Taken, write_record
from steelyard.lab.answer.check import check
from steelyard.report.claims.text import notes
from steelyard.store import Record

pytestmark = pytest.mark.extensions("exchange")

NOTE = "node tells the sides apart: a has n1 and b has n2."


def test_notes_and_counts_of_failures_stand_below_the_verdicts(tmp_path):
    trials = [
        RecordedTrial((("arm", arm),), {"t": (1.0 + number / 100,)}) for arm in "ab" for number in range(6)
    ]
    trials += [RecordedTrial((("arm", "b"),), {}, 1, status) for status in ("failed", "timed_out")]
    question = Selection(claims=[{"faster": {"arm": "b"}, "than": {"arm": "a"}}])
    recording = Taken("ours", {"t": Quantity("s")}, notes=[NOTE])
    write_record(tmp_path / "it.lab", trials, recording, question).close()
    with Record.open(tmp_path / "it.lab") as record:
        checked = check(record)
    assert checked.notes == ("b: 2 of 8 runs failed, 1 of them timed out.", NOTE)
    text = " ".join(span.text for line in notes(checked, 200) for span in line)
    assert NOTE in text
    assert "2 of 8 runs failed" in text
