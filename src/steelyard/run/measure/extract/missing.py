"""The failure of a trial whose program ended well and did not report a value."""

from __future__ import annotations


class MissingValueError(Exception):
    """A metric has no finite value in this trial; says which, where it was looked for, and what was there.

    It ends the trial and not the experiment, so it is no ``SteelyardError``.
    """

    def __init__(self, metric: str, why: str) -> None:
        super().__init__(f"metric {metric}: {why}")
