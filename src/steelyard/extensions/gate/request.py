"""``GateRequest``: two revisions or directories, the command of a harness, and how sure the verdicts are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

import msgspec

from steelyard.core.units import Better
from steelyard.extensions.gate.results import Shard
from steelyard.extensions.repository.tree_request import TreeRequest

MARGIN: Final = 0.03
"""Of changes that are equivalent, on a machine that was not qualified."""
ALPHA: Final = 0.05


class GateRequest(TreeRequest, frozen=True, kw_only=True):
    """What is gated, and how.

    Attributes
    ----------
    base, head : str
        Revisions; in what is kept, full ids. Directories where ``are_directories``.
    is_tip : bool
        ``base`` is compared as it is, and not where head left it.
    origin : str
        What base is, in words; filled in with the ids.
    words : tuple of str
        The command of the harness; the program's relative path is in the tree.
    harness : str or None
        Its name; recognised where ``None``.
    metrics : tuple of str
        That are judged; the time that the harness reports by default.
    reported : tuple of str
        That are shown, and decide nothing.
    margins : dict
        By metric, where a metric has a margin of its own.
    better : dict
        By metric, of those that no harness knows a side of.
    margin : float
        Relative change up to which times are equivalent; above 0.
    count_margin : float
        The same of counts.
    max_time_s : float or None
        Budget of measurement for the whole suite; by default half as much again as the harness takes for
        both sides by its own defaults.
    wait_quiet_s : float or None
        Before the first block, the gate waits so long at most until other programs leave the CPUs alone.
    unchanged : bool
        What is better than the margin fails, too.
    allow_failures : int
        Processes of head that may fail, over the whole gate; their blocks do not count.
    layout : bool
        Both sides are linked anew for each block, with a layout that is drawn for it.
    explain : bool
        The functions that make benchmarks slower are looked for.
    validate : bool
        Lines of base that have these functions are put back into head, to see what goes.
    renames : dict
        Name of a benchmark in head to its name in base.
    shard : Shard or None
        Only this part of the suite is gated.
    is_null : bool
        Both sides are builds of head: what a qualification measures.
    """

    file_name: ClassVar[str] = "gate.json"
    kind: ClassVar[str] = "gate"
    base: str
    head: str
    words: tuple[str, ...]
    are_directories: bool = False
    is_tip: bool = False
    origin: str = ""
    harness: str | None = None
    metrics: tuple[str, ...] = ()
    reported: tuple[str, ...] = ()
    margins: Mapping[str, float] = msgspec.field(default_factory=dict)
    better: Mapping[str, Better] = msgspec.field(default_factory=dict)
    margin: float = MARGIN
    count_margin: float = 0.0
    max_time_s: float | None = None
    timeout_s: float | None = None
    wait_quiet_s: float | None = None
    unchanged: bool = False
    allow_failures: int = 0
    layout: bool = False
    explain: bool = False
    validate: bool = False
    renames: Mapping[str, str] = msgspec.field(default_factory=dict)
    shard: Shard | None = None
    is_null: bool = False

    @property
    def alpha(self) -> float:
        """The level of this gate: of a shard its part, so that all of them together have ``ALPHA``."""
        return ALPHA / (self.shard.count if self.shard else 1)
