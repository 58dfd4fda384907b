"""``[[claims]]`` as a person writes them: one table for each kind, known by its first key."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from steelyard.units import Scalar

Levels = dict[str, Scalar]
Bound = str | float
"""``"24 GB"``, ``"60 s"``, or a number in the metric's unit."""

_Name = Annotated[str | None, Meta(description="What reports call the claim; its own words by default.")]
_Metric = Annotated[
    str | None, Meta(description="The metric that is judged; that of `[analysis]` by default.")
]
_Where = Annotated[
    Levels,
    Meta(description="Only strata with these levels; labels of a program's metric can stand here too."),
]
_Than = Annotated[
    Levels | None, Meta(description="What it is compared with; the baseline of `[analysis]` by default.")
]
_Parameter = Annotated[
    str | None,
    Meta(description="The factor or label that growth is about; may be left out where only one is a number."),
]


class FasterTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One treatment is better than another."""

    faster: Annotated[Levels, Meta(description="Levels of the treatment that is better.")]
    than: _Than = None
    by: Annotated[
        float,
        Meta(
            gt=0,
            le=1e6,
            description="The least speedup: 1.02 is at least 2 % better, 0.98 at most 2 % worse.",
        ),
    ] = 1.0
    metric: _Metric = None
    where: _Where = {}
    name: _Name = None


class SlowerTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One treatment is worse than another."""

    slower: Annotated[Levels, Meta(description="Levels of the treatment that is worse.")]
    than: _Than = None
    by: Annotated[
        float, Meta(gt=0, le=1e6, description="The least slowdown: 1.5 is one and a half times as slow.")
    ] = 1.0
    metric: _Metric = None
    where: _Where = {}
    name: _Name = None


class EquivalentTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Two treatments do not differ by more than matters."""

    equivalent: Annotated[Levels, Meta(description="Levels of one treatment.")]
    to: _Than = None
    within: Annotated[float, Meta(gt=0, lt=1, description="The largest relative difference: 0.02 is 2 %.")]
    metric: _Metric = None
    where: _Where = {}
    name: _Name = None


class LimitTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A metric stays within a bound."""

    limit: Annotated[str, Meta(description="The metric.")]
    at: Annotated[
        Levels,
        Meta(description="Levels of the treatments; a number that was not measured is foretold by a model."),
    ] = {}
    max: Annotated[
        Bound | None, Meta(description='The mean is at most this: `"24 GB"`, `"60 s"`, or a number.')
    ] = None
    min: Annotated[Bound | None, Meta(description="The mean is at least this.")] = None
    parameter: Annotated[
        str | None,
        Meta(
            description="Without `at`: also say from which level of this factor or label on the limit breaks."
        ),
    ] = None
    name: _Name = None


class BestTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One level of a factor is better than all others."""

    best: Annotated[str, Meta(description="The factor.")]
    level: Annotated[
        Scalar | None, Meta(description="The level that is best; where left out, whichever it is.")
    ] = None
    metric: _Metric = None
    where: _Where = {}
    name: _Name = None


class ScalesTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A metric grows as expected."""

    scales: Annotated[str, Meta(description="The metric.")]
    parameter: _Parameter = None
    expect: Annotated[
        str | None, Meta(description='Big-O text: `"O(log p)"`, `"O(n/p log(n/p) + p^2 log p)"`.')
    ] = None
    accepted: Annotated[
        str | None,
        Meta(
            description="Instead of `expect`: a file that `steelyard model --accept` wrote, the status quo."
        ),
    ] = None
    deviation: Annotated[
        str | None,
        Meta(description="How far off is still approximate; the leading exponent halved by default."),
    ] = None
    litmus: Annotated[
        Levels,
        Meta(
            description="Levels of a simple test whose growth tells the machine's fault from the program's."
        ),
    ] = {}
    where: _Where = {}
    along: Annotated[
        dict[str, str],
        Meta(description='Parameters that grow with another, as in weak scaling: `{ n = "p" }`.'),
    ] = {}
    at: Annotated[
        dict[str, float], Meta(description="A scale of interest, at which rank and value are said too.")
    ] = {}
    name: _Name = None


class RuleTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Functions do not grow faster than others together."""

    rule: Annotated[str, Meta(description='`"allreduce <= reduce + bcast"`: names are levels of `over`.')]
    over: Annotated[str, Meta(description="The factor or label whose levels the rule names.")]
    metric: _Metric = None
    parameter: _Parameter = None
    where: _Where = {}
    name: _Name = None


class UnperturbedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A probe leaves a metric as it is."""

    unperturbed: Annotated[str, Meta(description="The metric.")]
    probe: Annotated[Levels, Meta(description="Levels of the treatment with the probe.")]
    without: Annotated[
        Levels | None,
        Meta(description="Levels of the one without it; the baseline of `[analysis]` by default."),
    ] = None
    within: Annotated[
        float, Meta(gt=0, lt=1, description="The largest relative change that is none: 0.01 is 1 %.")
    ]
    where: _Where = {}
    name: _Name = None


class ValidatesTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a probe shows is tested by changing its supposed cause."""

    validates: Annotated[str, Meta(description="The metric that the probe shows.")]
    intervention: Annotated[Levels, Meta(description="Levels with the supposed cause changed.")]
    than: Annotated[Levels, Meta(description="Levels with the supposed cause as it is.")]
    probe: Annotated[Levels, Meta(description="Levels with the probe.")]
    without: Annotated[Levels, Meta(description="Levels without it, where the outcome is measured.")]
    direction: Annotated[
        Literal["lower", "higher"], Meta(description="Where the probed metric is predicted to go.")
    ]
    least: Annotated[
        float,
        Meta(ge=1, le=1e6, description="By which factor at least: 2 is half as many, or twice as many."),
    ] = 1.0
    outcome: Annotated[
        str, Meta(description="The metric that is to improve, measured without the probe.")
    ] = "wall_s"
    outcome_least: Annotated[
        float, Meta(ge=1, le=1e6, description="By which factor at least the outcome improves.")
    ] = 1.0
    within: Annotated[
        Annotated[float, Meta(gt=0, lt=1)] | None,
        Meta(
            description="Also: the probe changes the outcome by the same factor with and without the"
            " intervention, to this share."
        ),
    ] = None
    where: _Where = {}
    name: _Name = None


CLAIM_TABLES: Final[dict[str, type[msgspec.Struct]]] = {
    "faster": FasterTable,
    "slower": SlowerTable,
    "equivalent": EquivalentTable,
    "limit": LimitTable,
    "best": BestTable,
    "scales": ScalesTable,
    "rule": RuleTable,
    "unperturbed": UnperturbedTable,
    "validates": ValidatesTable,
}
"""The key that a claim is known by, and its table."""
