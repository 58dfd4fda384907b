"""A flame graph as rows: a rectangle for each function under its callers, as wide as its time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from steelyard.extensions.explain.profiles import Chain, Function


class Block(msgspec.Struct, frozen=True):
    """A rectangle.

    Attributes
    ----------
    depth : int
        From 0, the outermost functions.
    start, end : float
        Fractions of the whole time of the program that widths show.
    old_s, new_s : float
        Seconds in a run, with what is called.
    """

    function: Function
    depth: int
    start: float
    end: float
    old_s: float
    new_s: float


class _Tree(msgspec.Struct):
    old_s: float = 0.0
    new_s: float = 0.0
    members: dict[Function, _Tree] = msgspec.field(default_factory=dict)


def lay_out(
    chains: Iterable[tuple[Chain, float, float]], *, by_new: bool, narrowest: float, deepest: int
) -> list[Block]:
    """Lay out call chains.

    Parameters
    ----------
    chains : iterable of (Chain, float, float)
        Seconds in a run of the old and of the new program.
    by_new : bool
        Whether widths are times of the new program, else of the old one.
    narrowest : float
        Fraction of the whole below which nothing is drawn.
    deepest : int
        Rows that are drawn.
    """
    root = _Tree()
    for chain, old_s, new_s in chains:
        tree = root
        tree.old_s += old_s
        tree.new_s += new_s
        for function in chain:
            tree = tree.members.setdefault(function, _Tree())
            tree.old_s += old_s
            tree.new_s += new_s
    total = root.new_s if by_new else root.old_s
    if total <= 0:
        return []
    return [
        block
        for block in _place(root.members, 0, 0.0, total, by_new=by_new, deepest=deepest)
        if block.end - block.start >= narrowest
    ]


def _place(
    members: Mapping[Function, _Tree],
    depth: int,
    start: float,
    total: float,
    *,
    by_new: bool,
    deepest: int,
) -> Iterator[Block]:
    if depth >= deepest:
        return
    for function, tree in sorted(members.items(), key=lambda item: (item[0].name, item[0].place)):
        width = (tree.new_s if by_new else tree.old_s) / total
        yield Block(function, depth, start, start + width, tree.old_s, tree.new_s)
        yield from _place(tree.members, depth + 1, start, total, by_new=by_new, deepest=deepest)
        start += width
