"""The claims of an experiment: one structure for each kind, checked and typed.

Field names are the keys of ``[[claims]]``; ``strata`` alone is worked out when a claim is read. To add a
kind: a structure here, its table in ``tables/claims``, its reader in ``read/claims`` and its judge in the
room ``claims``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from steelyard.units import Scalar

Levels = Mapping[str, Scalar]


class Faster(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="faster", tag_field="kind"):
    """In every stratum, one treatment is better than another by the factor ``by``: above it, not at it."""

    faster: Levels
    than: Levels
    by: float = 1.0
    metric: str | None = None
    """``None``: the metric of the analysis. The same holds for every claim below."""
    where: Levels = {}
    """Only strata (and labels) with these levels."""
    strata: tuple[str, ...] = ()
    """Factors within whose levels it is judged."""
    name: str | None = None


class Slower(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="slower", tag_field="kind"):
    """In every stratum, one treatment is worse than another by the factor ``by``."""

    slower: Levels
    than: Levels
    by: float = 1.0
    metric: str | None = None
    where: Levels = {}
    strata: tuple[str, ...] = ()
    name: str | None = None


class Equivalent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="equivalent", tag_field="kind"):
    """In every stratum, the ratio of two treatments lies between 1 - ``within`` and 1 + ``within``."""

    equivalent: Levels
    to: Levels
    within: float
    metric: str | None = None
    where: Levels = {}
    strata: tuple[str, ...] = ()
    name: str | None = None


class Limit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="limit", tag_field="kind"):
    """The mean of the metric ``limit`` is at most ``max``, or at least ``min``, both in its unit.

    In every treatment that ``at`` names, or foretold by a model where ``at`` names a scale that was not
    measured; without ``at`` in every treatment, and the smallest ``parameter`` at which it breaks is said.
    """

    limit: str
    at: Levels = {}
    max: float | None = None
    min: float | None = None
    parameter: str | None = None
    name: str | None = None


class Best(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="best", tag_field="kind"):
    """In every stratum, one level of the factor ``best`` is better than all others: ``level``, if given."""

    best: str
    level: Scalar | None = None
    metric: str | None = None
    where: Levels = {}
    strata: tuple[str, ...] = ()
    name: str | None = None


class Scales(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="scales", tag_field="kind"):
    """The metric ``scales`` grows with ``parameter`` as ``expect`` says, or as the file ``accepted``."""

    scales: str
    parameter: str | None = None
    expect: str | None = None
    accepted: str | None = None
    deviation: str | None = None
    litmus: Levels = {}
    where: Levels = {}
    along: Mapping[str, str] = {}
    at: Mapping[str, float] = {}
    name: str | None = None


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="rule", tag_field="kind"):
    """Levels of ``over`` do not grow faster than others together: ``allreduce <= reduce + bcast``."""

    rule: str
    over: str
    metric: str | None = None
    parameter: str | None = None
    where: Levels = {}
    name: str | None = None


class Unperturbed(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="unperturbed", tag_field="kind"
):
    """In every stratum, the metric ``unperturbed`` is under a probe what it is without, to ``within``."""

    unperturbed: str
    probe: Levels
    without: Levels
    within: float
    where: Levels = {}
    strata: tuple[str, ...] = ()
    name: str | None = None


class Validates(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="validates", tag_field="kind"):
    """What a probe made one believe is true: an intervention changes the metric ``validates``, seen by the
    probe, in ``direction`` by the factor ``least``; and without the probe it improves ``outcome`` by the
    factor ``outcome_least``.
    """

    validates: str
    intervention: Levels
    than: Levels
    probe: Levels
    without: Levels
    direction: Literal["lower", "higher"]
    least: float = 1.0
    outcome: str = "wall_s"
    outcome_least: float = 1.0
    within: float | None = None
    """Also, the probe changes ``outcome`` by the same factor with and without the intervention, to this."""
    where: Levels = {}
    strata: tuple[str, ...] = ()
    name: str | None = None


Claim = Faster | Slower | Equivalent | Limit | Best | Scales | Rule | Unperturbed | Validates


def kind_of(claim: Claim) -> str:
    """The key that such a claim is known by: ``faster``, ``limit``, …."""
    return str(claim.__struct_config__.tag)
