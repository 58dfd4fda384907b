"""Launches that are tried once, each, apart from any record, to see how they end."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from steelyard.run.launch.launch import Launch
from steelyard.run.runner.journal import RawTrial, read_journal
from steelyard.run.runner.runner import Runner, Trial


def once(launches: Sequence[Launch]) -> list[RawTrial]:
    """How each ended, in their order."""
    # In memory, so that nothing is left on the disk by a process that is killed meanwhile.
    memory = os.memfd_create("once")
    try:
        journal = Path(f"/proc/{os.getpid()}/fd/{memory}")
        with Runner(journal) as runner:
            runner.run([Trial(i, runner.define(launch)) for i, launch in enumerate(launches, 1)])
        return read_journal(journal)[0]
    finally:
        os.close(memory)
