"""``Machines``: one comparison on several machines, which are a random effect crossed with treatments."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from steelyard.results.document import Lines
from steelyard.results.interval import Interval


class Deviation(msgspec.Struct, frozen=True):
    """How a machine differs from the others.

    Attributes
    ----------
    ratio : float
        Of its geometric mean to that of the other machines.
    p_holm : float
        Of the hypothesis that it is one more draw of the distribution that they are of, adjusted over all
        machines: the externally studentised residual by t(machines - 2), Holm. Normal log ratios.
    """

    ratio: float
    p_holm: float


class Machine(msgspec.Struct, frozen=True):
    """The comparison on one machine.

    Attributes
    ----------
    interval : Interval or None
        95 %, from the spread of blocks pooled over machines; ``None`` where no machine has two blocks.
    differs : Deviation or None
        Where its speedup is not that of the others.
    """

    name: str
    blocks: int
    speedup: float
    interval: Interval | None
    differs: Deviation | None = None
    __lines__: ClassVar[Lines] = ("name", "blocks", "speedup", "ci95=interval", "differs")


class Gain(msgspec.Struct, frozen=True):
    """What more measurements would gain.

    Attributes
    ----------
    further : int
        Further machines, or further blocks on each: as many again.
    narrower : float
        Fraction by which the standard error of the speedup would shrink.
    """

    further: int
    narrower: float


class Spread(msgspec.Struct, frozen=True):
    """Contribution of machines to the variance of a block's log ratio.

    Attributes
    ----------
    share : float
        Between 0 and 1.
    interval : Interval
        95 %, by F: exact where all machines have as many blocks and both effects are normal.
    machines, blocks : Gain
        Of as many machines again with the same blocks, and of as many blocks again on each.
    """

    share: float
    interval: Interval
    machines: Gain
    blocks: Gain
    __lines__: ClassVar[Lines] = ("share", "share_ci95=interval", "machines", "blocks")


class Pace(msgspec.Struct, frozen=True):
    """A machine whose values differ from those of the others, in the mean over all treatments.

    Attributes
    ----------
    low, high : float
        The smallest and the largest ratio of a treatment's geometric mean there to that on the others.
    """

    name: str
    differs: Deviation
    low: float
    high: float
    __lines__: ClassVar[Lines] = ("name", "*differs", "low", "high")

    @property
    def in_everything(self) -> bool:
        """Whether every treatment differs to the same side."""
        return self.low > 1 or self.high < 1


class Machines(msgspec.Struct, frozen=True):
    """One comparison of the primary metric, by machines.

    Estimate, interval and prediction are those of ``AcrossContexts``, whose contexts are the machines.

    Attributes
    ----------
    blocks : int
        On all machines together.
    faster, slower : int
        Machines on each side of 1, by their own values.
    spread : Spread or None
        ``None`` where no machine has two blocks, or nothing varies.
    members : tuple of Machine
        In the order of their names.
    pace : tuple of Pace
        Machines whose values differ, whatever the comparison says.
    """

    blocks: int
    faster: int
    slower: int
    spread: Spread | None
    members: tuple[Machine, ...]
    pace: tuple[Pace, ...] = ()
