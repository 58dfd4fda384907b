"""``Launcher``: what stands between the runner and the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from steelyard.run.launch.launch import Launch
from steelyard.units import Scalar


class Launcher(Protocol):
    """Starts the ranks of a program. The runner waits for it, kills it and what it started, and keeps what it
    prints, as with any program; so it needs no more than this.
    """

    def around(self, launch: Launch, names: Mapping[str, str]) -> Launch:
        """The launch that starts the ranks of ``launch``.

        Parameters
        ----------
        names : Mapping of str to str
            What placeholders stand for in this treatment.

        Raises
        ------
        MachineError
            Something is not installed, or does not fit the program.
        UsageError
            What is asked for cannot be.
        """
        ...

    def check(self, launch: Launch, names: Mapping[str, str]) -> None:
        """Refuse what ``around`` would, as far as it can be told with nothing started and nothing written.

        Raises
        ------
        MachineError, UsageError
            As ``around``.
        """
        ...

    def facts(self) -> Mapping[str, Scalar]:
        """What is kept with the host's facts."""
        ...
