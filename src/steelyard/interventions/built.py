"""``link_order``, ``padding`` and ``code``: interventions whose level goes into the build, and into its key.

Where code and data lie decides which of them share a cache set or a line; linking in another order, or
adding a line to another function, moves them (Mytkowicz et al. 2009, DOI 10.1145/1508244.1508275). The build
receives the level by placeholders, so that any compiler and any build system can be used:

``{objects}``
    the ``objects`` of ``[build]`` in the order that ``link_order`` draws (0: as written);
``{link_order}``
    the number itself, for a linker that shuffles by it (lld: ``-Wl,--shuffle-sections=*={link_order}``);
``{padding_file}``
    an assembler file that takes ``padding`` bytes of code and as many of data, to be linked first;
``{padding}``
    the number itself, as for ``-falign-functions`` or a macro;
``{function_padding}``
    bytes between functions that ``code`` draws, for a compiler that places them
    (gcc and clang: ``-fpatchable-function-entry={function_padding},{function_padding}``).

``code`` draws all of them at once, and puts padding in front of each of ``{objects}`` as well (Curtsinger and
Berger 2013, DOI 10.1145/2451116.2451141, who draw the same while a program runs).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange

ORDERS: Final = 256
"""Link orders that are drawn at random: each is a build."""
LARGEST_SEED: Final = 2**31 - 1
"""What linkers take."""
LARGEST_PADDING: Final = 65536
"""Bytes: the largest page that Linux has."""
CODE_STEP: Final = 16
"""Bytes: compilers align functions to it."""
LARGEST_FUNCTION_PADDING: Final = 63
"""Bytes: with it, a function begins anywhere in a cache line."""


class _Built(Intervention):
    """A number that the build is given."""

    most: ClassVar[int]

    def check(self, level: Scalar) -> Scalar:
        """Return the number; see ``Intervention.check``."""
        if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= self.most:
            raise self.make_refusal(level)
        return level

    def change(self, level: Scalar) -> LaunchChange:
        """None: the program itself is another one."""
        del level
        return LaunchChange()


class LinkOrder(_Built):
    """The order in which the linker is given the objects."""

    name: ClassVar[str] = "link_order"
    about: ClassVar[str] = "order in which the objects of the program are linked, drawn from the number"
    levels_text: ClassVar[str] = f"a whole number from 0 (as written) to {LARGEST_SEED}"
    most: ClassVar[int] = LARGEST_SEED
    placeholders: ClassVar[frozenset[str]] = frozenset({"link_order", "objects"})

    def population(self) -> Sequence[Scalar]:
        """Orders, none of them the one that is written."""
        return range(1, ORDERS + 1)


class Padding(_Built):
    """Bytes of code and data before those of the program."""

    name: ClassVar[str] = "padding"
    about: ClassVar[str] = "bytes by which code and data of the program are shifted"
    levels_text: ClassVar[str] = f"a whole number of bytes from 0 to {LARGEST_PADDING}"
    most: ClassVar[int] = LARGEST_PADDING
    placeholders: ClassVar[frozenset[str]] = frozenset({"padding", "padding_file"})

    def population(self) -> Sequence[Scalar]:
        """Return a page, in the steps in which functions are aligned."""
        return range(0, 4096, CODE_STEP)


class Code(_Built):
    """The layout of the code as a whole: order, and padding before each object and each function."""

    name: ClassVar[str] = "code"
    about: ClassVar[str] = "layout of the code: link order, padding between objects and functions, alignment"
    levels_text: ClassVar[str] = f"a whole number from 0 (as written) to {LARGEST_SEED}"
    most: ClassVar[int] = LARGEST_SEED
    placeholders: ClassVar[frozenset[str]] = (
        LinkOrder.placeholders | Padding.placeholders | {"code", "function_padding"}
    )

    def population(self) -> Sequence[Scalar]:
        """Layouts, none of them the one that is written."""
        return range(1, ORDERS + 1)


CODE_PARTS: Final = (LinkOrder.name, Padding.name)
"""Kinds that ``code`` draws among others."""
