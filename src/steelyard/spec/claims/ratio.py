"""``faster``, ``slower``, ``not_slower`` and ``equivalent``: one treatment against another."""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from steelyard.spec.claims.claim import Claim
from steelyard.spec.claims.keys import NOT_GIVEN, Levels, Loss, Metric, Name, Other, Strata, Where
from steelyard.spec.claims.question import ClaimNames, check_metric, select
from steelyard.spec.selectors import check_pair, free_factors
from steelyard.spec.text.origin import Origin, Path
from steelyard.spec.text.toml import format_value


class Faster(Claim, msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="faster", tag_field="kind"):
    """One treatment is better than another by the factor ``by`` in every stratum: above it, not at it."""

    faster: Annotated[Levels, Meta(description="Levels of the treatment that is better.")]
    than: Other = NOT_GIVEN
    by: Annotated[
        float,
        Meta(
            gt=0,
            le=1e6,
            description="The least speedup: 1.02 is at least 2 % better, 0.98 at most 2 % worse.",
        ),
    ] = 1.0
    metric: Metric = None
    where: Where = {}
    strata: Strata = ()
    name: Name = None

    def check_against(self, question: ClaimNames, origin: Origin, path: Path) -> Faster:
        """Return the claim with its levels as the factors have them."""
        return _check_claim(self, "faster", "than", question, origin, path)


class Slower(Claim, msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="slower", tag_field="kind"):
    """One treatment is worse than another by the factor ``by`` in every stratum."""

    slower: Annotated[Levels, Meta(description="Levels of the treatment that is worse.")]
    than: Other = NOT_GIVEN
    by: Annotated[
        float, Meta(gt=0, le=1e6, description="The least slowdown: 1.5 is one and a half times as slow.")
    ] = 1.0
    metric: Metric = None
    where: Where = {}
    strata: Strata = ()
    name: Name = None

    def check_against(self, question: ClaimNames, origin: Origin, path: Path) -> Slower:
        """Return the claim with its levels as the factors have them."""
        return _check_claim(self, "slower", "than", question, origin, path)


class NotSlower(
    Claim, msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="not_slower", tag_field="kind"
):
    """One treatment is worse than another by less than the fraction ``by`` in every stratum."""

    not_slower: Annotated[Levels, Meta(description="Levels of the treatment that must not be worse.")]
    by: Annotated[
        Loss,
        Meta(description='A slowdown that is too much: `"5%"`, or `0.05`, is 1.05 × as slow.'),
    ]
    than: Other = NOT_GIVEN
    metric: Metric = None
    where: Where = {}
    strata: Strata = ()
    name: Name = None

    def check_against(self, question: ClaimNames, origin: Origin, path: Path) -> NotSlower:
        """Return the claim with its levels as the factors have them, and ``by`` as a number."""
        by = _read_loss(self.by, origin, (*path, "by"))
        return replace(_check_claim(self, "not_slower", "than", question, origin, path), by=by)


class Equivalent(
    Claim, msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="equivalent", tag_field="kind"
):
    """The ratio of two treatments lies between 1 - ``within`` and 1 + ``within`` in every stratum."""

    equivalent: Annotated[Levels, Meta(description="Levels of one treatment.")]
    within: Annotated[float, Meta(gt=0, lt=1, description="The largest relative difference: 0.02 is 2 %.")]
    to: Other = NOT_GIVEN
    metric: Metric = None
    where: Where = {}
    strata: Strata = ()
    name: Name = None

    def check_against(self, question: ClaimNames, origin: Origin, path: Path) -> Equivalent:
        """Return the claim with its levels as the factors have them."""
        return _check_claim(self, "equivalent", "to", question, origin, path)


Pair = TypeVar("Pair", Faster, Slower, NotSlower, Equivalent)


def _read_loss(value: str | float, origin: Origin, path: Path) -> float:
    text = value.strip() if isinstance(value, str) else ""
    try:
        number = float(text.removesuffix("%")) / 100 if text.endswith("%") else float(value)
    except ValueError:
        raise origin.error(
            path, f"must be a fraction, got {format_value(value)}", 'write by = "5%"'
        ) from None
    if not 0 < number < 1:
        hint = 'write by = "5%"; faster … by = 0.4 lets a program take 2.5 × as long'
        raise origin.error(path, f"must be a fraction above 0 and below 1, got {format_value(value)}", hint)
    return number


def _check_claim(
    claim: Pair, key: str, second: str, question: ClaimNames, origin: Origin, path: Path
) -> Pair:
    metric = check_metric(claim.metric, question, origin, (*path, "metric"))
    levels: Levels | None = getattr(claim, second)
    old = question.analysis.baseline if levels is None else levels
    if old is None:
        text = f"{key} without {second}, and [analysis] has no baseline"
        raise origin.error(path, text, f"write {second} = {{ … }} as well")
    chosen = select(getattr(claim, key), question, origin, (*path, key))
    baseline = select(old, question, origin, (*path, second))
    cell = select(claim.where, question, origin, (*path, "where"), metric=metric, empty=True)
    strata = free_factors(question.factors, question.zips, chosen.keys() | baseline.keys())
    check_pair(question.treatments, chosen, baseline, cell, strata, origin, (*path, key), (*path, second))
    return replace(claim, **{key: chosen, second: baseline, "where": cell, "strata": strata})
