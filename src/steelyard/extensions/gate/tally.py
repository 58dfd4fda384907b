"""``ProcessTally``: processes that ran and failed on each side, and whether a gate may go on."""

from __future__ import annotations

from pathlib import Path

from steelyard.core.errors import ProgramError
from steelyard.extensions.gate.disturbance import note_waits
from steelyard.extensions.gate.sides import SIDES, Side
from steelyard.extensions.gate.trials import Measured, TrialFailure


class ProcessTally:
    """Processes of a gate so far.

    Parameters
    ----------
    allowed : int
        Processes of head that may fail.
    """

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._processes = 0
        self._waited_s = self._spent_s = 0.0
        self._failed: dict[Side, list[TrialFailure]] = {side: [] for side in SIDES}

    def add(self, measured: Measured, record: Path) -> None:
        """Count what a record holds.

        Raises
        ------
        ProgramError
            More processes of head failed than are allowed, or its time limit ended one: blocks without it are
            those in which it went well, or was quick.
        """
        self._processes += measured.processes
        self._waited_s += measured.waited_s
        self._spent_s += measured.seconds
        for side in SIDES:
            self._failed[side] += measured.failed[side]
        new = measured.failed["head"]
        late = next((entry for entry in new if entry.is_timeout), None)
        if not new or (late is None and len(self._failed["head"]) <= self._allowed):
            return
        first = late or new[0]
        counts = f"{len(self._failed['head'])} of {self._processes} processes of head failed"
        of_base = len(self._failed["base"])
        raise ProgramError(
            f"{counts}, {of_base or 'none'} of base; in block {first.block} of {record.name}: {first.reason}",
            hint="run it by itself, many times; "
            + (
                "slow runs exceeded the time limit, which would hide a slowdown; raise --timeout"
                if late
                else f"--allow-failures {len(self._failed['head'])} leaves out blocks in which it fails"
            ),
        )

    def list_notes(self) -> list[str]:
        """Sentences on what failed and did not end the gate, and on CPUs that processes did not have."""
        failed = [
            f"{len(members)} of {self._processes} processes of {side} failed; their blocks do not count."
            f" The first: {members[0].reason.splitlines()[0]}"
            for side, members in self._failed.items()
            if members
        ]
        return [*failed, *note_waits(self._waited_s, self._spent_s)]
