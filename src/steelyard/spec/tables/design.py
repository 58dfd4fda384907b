"""``[design]``: how many trials in which order, and when to stop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from steelyard.core.factorial.layout import Kind
from steelyard.core.look_schedule import Until
from steelyard.core.units import Scalar
from steelyard.spec.tables.values import Duration


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rule to stop adding blocks: a precision or an answer, and caps that stop it short."""

    rel_halfwidth: Annotated[
        Annotated[float, Meta(gt=0, lt=1)] | None,
        Meta(
            description="Stop when the 95 % interval of every speedup (of every effect, in designs of two"
            " levels) is this narrow: half of it, relative (below 30 blocks, at a quarter of it)."
        ),
    ] = None
    max_blocks: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        Meta(description="Stop after so many blocks, whatever the precision."),
    ] = None
    max_time_s: Annotated[
        Duration | None, Meta(description="Stop after this time, whatever the precision.")
    ] = msgspec.field(name="max_time", default=None)
    strict: Annotated[
        bool,
        Meta(description="Look at 40 blocks at the earliest, so that stopping hardly reduces coverage."),
    ] = False
    decided: Annotated[
        bool,
        Meta(
            description="Stop when every verdict is decided and its interval narrow against the effect (half"
            " of it a tenth of the effect, or 1 %); without `max_time` after 10 s, or 3 s of a treatment"
            " alone, once `blocks` are complete."
        ),
    ] = False
    until: Annotated[
        Until,
        Meta(
            description="With `decided`: `size` waits for narrow intervals, too; `verdict` ends as soon as"
            " every verdict is decided, and leaves intervals as wide as they are then."
        ),
    ] = "size"
    rel_effect: Annotated[
        Annotated[float, Meta(gt=0, le=0.5)] | None,
        Meta(
            description="With `rel_halfwidth`: let an interval be as wide as this fraction of its effect, if"
            " that is more. At 0.5 an interval still lies far from no effect, so that stopping finds no"
            " differences that are none."
        ),
    ] = None

    @property
    def looks(self) -> bool:
        """Whether the runs so far decide when it ends."""
        return self.decided or self.rel_halfwidth is not None

    @property
    def ends_at_verdict(self) -> bool:
        """Whether verdicts end it, however wide their intervals."""
        return self.decided and self.until == "verdict"


class Design(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Layout of the trials. An ``order`` other than ``randomized`` exists to show what it does.

    Checked, ``generators`` say which fraction is run, whichever way the spec asked for it.
    """

    kind: Annotated[
        Kind,
        Meta(
            description="Which combinations of levels are run: all of them (`full`), all of two levels a"
            " factor, a fraction of these, few for main effects alone, or one change at a time."
        ),
    ] = "full"
    ends: Annotated[
        Mapping[str, tuple[Scalar, Scalar]],
        Meta(description="The two levels of a factor where two are run; its first and its last by default."),
    ] = {}
    generators: Annotated[
        tuple[str, ...],
        Meta(description='Which fraction: `"d = a b c"` gives `d` the product of the signs of the others.'),
    ] = ()
    resolution: Annotated[
        Annotated[int, Meta(ge=3, le=16)] | None,
        Meta(description="The smallest fraction whose resolution is this or higher."),
    ] = None
    treatments: Annotated[
        Annotated[int, Meta(ge=4)] | None,
        Meta(description="The fraction of so many treatments with the least confounding."),
    ] = None
    exclude: Annotated[
        tuple[Mapping[str, Scalar], ...],
        Meta(description="Treatments to leave out: all that have the levels of one of these tables."),
    ] = ()
    blocks: Annotated[
        int,
        Meta(
            ge=1, le=1_000_000, description="Complete blocks to run; with `stop`, the least number of them."
        ),
    ] = 10
    replicates: Annotated[int, Meta(ge=1, le=10_000, description="Trials of each treatment in a block.")] = 1
    discard: Annotated[
        int, Meta(ge=0, le=1000, description="Blocks that are run first, stored and used nowhere.")
    ] = 1
    seed: Annotated[
        int,
        Meta(
            ge=0,
            le=2**63 - 1,
            description="Everything random is drawn from it: the same spec and seed give the same plan.",
        ),
    ] = 1
    order: Annotated[
        Literal["randomized", "sequential", "nogueira-matias-2014"],
        Meta(
            description="Order of the trials of a block; `sequential` exists to show what it does."
            " `nogueira-matias-2014`: the runs of one treatment in a row, the first `discard` not used."
        ),
    ] = "randomized"
    stop: Annotated[Stop | None, Meta(description="Add blocks until a precision is reached.")] = None

    @property
    def in_rows(self) -> bool:
        """Whether one treatment's runs follow each other, so that no block has one of each."""
        return self.order != "randomized"
