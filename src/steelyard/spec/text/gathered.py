"""``ErrorCollector``: errors of parts of a spec that can be checked one without the other, told together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, NoReturn, ParamSpec, TypeVar

from steelyard.core.errors import SpecError

MOST: Final = 10
"""Errors that are told."""

P = ParamSpec("P")
T = TypeVar("T")


class ErrorCollector:
    """Call it with a reader and its arguments; an error is kept, and ``refuse`` raises the first ten of them.

    Nothing is read once there are more: to find what a wrong key was meant to be takes a tenth of a second.
    """

    def __init__(self, errors: Iterable[SpecError] = ()) -> None:
        self._errors = list(islice(errors, MOST + 1))

    def __call__(self, read: Callable[P, T], *args: P.args, **keys: P.kwargs) -> T | None:
        """Read a part; ``None`` where it is wrong."""
        if len(self._errors) > MOST:
            return None
        try:
            return read(*args, **keys)
        except SpecError as error:
            self._errors.append(error)
            return None

    def refuse(self) -> None:
        """Raise the first error, which has the others; do nothing without any.

        Raises
        ------
        SpecError
        """
        every = [steelyard_error for error in self._errors for steelyard_error in (error, *error.further)]
        if len(every) > MOST:
            rest = SpecError(
                f"more is wrong than these {MOST}", hint="correct them, and give the same command again"
            )
            every[MOST:] = [rest]
        if every:
            every[0].further = tuple(every[1:])
            for later in every[1:]:
                every[0].add_note(f"also: {later.message}")
                for note in getattr(later, "__notes__", ()):
                    every[0].add_note(note)
            raise every[0]

    def raise_refused(self) -> NoReturn:
        """Raise what ``refuse`` raises, where a part that all else needs is wrong."""
        self.refuse()
        raise AssertionError("a part of the spec is missing without an error")
