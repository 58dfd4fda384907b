"""Numbers in the prose of the README."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from prose import Sentence

GIVEN: Final = (
    r"YGM 0\.7 \(cereal 1\.3\.2\)|conveyors 0\.6\.0|Lamellar 0\.8\.1|code 3\.0",
    r"Open MPI 5\.0\.11|gcc 12\.2|Zen 5",
    r"Scale 18, 16 edges|of 11 and 16 GB|with 16 times as many",
    r"64 roots",
    r"at most 1\.5 times as long as items|at most 1\.2 times as long",
    # Instructions by callgrind, of the workloads' decisions.
    r"takes 26, one with an object 33, an item 24 \(1\.09 and 1\.39 times",
    r"takes 135 a key, where MPI in bulk takes 184 \(\.73 times\)",
    r"lattice of scale 16: `triangles` \.73, `sssp` \.42",
    r"least \.7 of GAP|tasks \.7 of Graph500's on one rank and \.5 on\s+two|goal of \.7",
)
"""Versions, settings, and figures of other pages."""


def sentences() -> Iterator[Sentence]:
    """None yet."""
    yield from ()
