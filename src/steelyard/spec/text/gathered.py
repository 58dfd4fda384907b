"""``Gathered``: errors of parts of a spec that can be checked one without the other, told together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NoReturn, ParamSpec, TypeVar

from steelyard.errors import SpecError

P = ParamSpec("P")
T = TypeVar("T")


class Gathered:
    """Call it with a reader and its arguments; an error is kept, and ``refuse`` raises all of them."""

    def __init__(self, found: Iterable[SpecError] = ()) -> None:
        self._found = list(found)

    def __call__(self, read: Callable[P, T], *args: P.args, **keys: P.kwargs) -> T | None:
        """Read a part; ``None`` where it is wrong."""
        try:
            return read(*args, **keys)
        except SpecError as error:
            self._found.append(error)
            return None

    def refuse(self) -> None:
        """Raise the first error, which has the others; do nothing without any.

        Raises
        ------
        SpecError
        """
        every = [each for error in self._found for each in (error, *error.others)]
        if every:
            every[0].others = tuple(every[1:])
            for other in every[1:]:
                every[0].add_note(f"also: {other.message}")
            raise every[0]

    def refused(self) -> NoReturn:
        """Raise what ``refuse`` raises, where a part that all else needs is wrong."""
        self.refuse()
        raise AssertionError("a part of the spec is missing without an error")
