"""What makes a trial fail although its program ended well: a value that it did not report."""

from __future__ import annotations


class MissingValueError(Exception):
    """A metric has no finite value in this trial; says which, where it was looked for, and what was there.

    It ends the trial and not the experiment, so it is no ``SteelyardError``.
    """

    def __init__(self, metric: str, why: str) -> None:
        super().__init__(f"metric {metric}: {why}")
