"""Where there is nothing to do the runner sleeps: voluntary context switches say how often it was woken."""

from __future__ import annotations

import re
import time
from pathlib import Path

from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.runner import TrialOrder

FEW = 10
"""Of two trials; an alarm that is left would add one every ``ALARM_NS`` from 75 ms on."""
ALARM_NS = 10_000_000


def times_woken(runner) -> int:
    status = Path(f"/proc/{runner.pid}/status").read_text()
    return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)$", status, re.MULTILINE)[1])


def test_no_alarm_of_a_trial_wakes_the_runner_between_batches(runner, sh):
    runner.run([TrialOrder(1, runner.define(sh("exit 0")))])
    before = times_woken(runner)
    time.sleep(0.25)
    assert times_woken(runner) - before < FEW


def test_no_alarm_of_an_earlier_trial_is_left_beside_a_program_that_needs_none(runner, journal, sh):
    earlier = runner.define(sh("exit 0"))
    silent = runner.define(sh("exec sleep 0.3", stdout="/dev/null", stderr="/dev/null"))
    before = times_woken(runner)
    runner.run([TrialOrder(1, earlier), TrialOrder(2, silent)])
    first, _ = read_journal(journal)[0]
    assert times_woken(runner) - before < FEW + first.wall_ns // ALARM_NS
