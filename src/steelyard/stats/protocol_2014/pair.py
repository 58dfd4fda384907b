"""``ProtocolPair``: one pair of samples through the protocol, up to its own p; Holm comes after all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from steelyard.answers.flags import unequal
from steelyard.answers.undefined import Undefined
from steelyard.sample import Treatment
from steelyard.stats.compare.pairing import Pair
from steelyard.stats.compare.verdict import Difference
from steelyard.stats.hypothesis.mann_whitney import rank_sum
from steelyard.stats.hypothesis.t_tests import Alternative, TestOutcome, student, welch
from steelyard.stats.protocol_2014.checks import Checks, check
from steelyard.stats.protocol_2014.effects import Effects, effects
from steelyard.stats.protocol_2014.path import TEST_OF, Path, Test, choose
from steelyard.stats.protocol_2014.profile import Profile
from steelyard.stats.protocol_2014.rules import Rules
from steelyard.units import Scalar

ProtocolFlag = Literal[
    "unequal_variance",
    "non_normal",
    "shape_differs",
    "vetoed",
    "degenerate",
    "deterministic_difference",
    "resolution",
    "failures_unequal",
    "timed_out",
    "crowded",
    "undefined",
]


class ProtocolPair(msgspec.Struct, frozen=True):
    """Everything that the protocol found about one pair.

    Attributes
    ----------
    path : str or Undefined
        The row of the decision table; ``Undefined`` where a sample has no values, or one that is not finite.
    outcome : TestOutcome or None
        Of the test chosen, baseline first. ``None`` where there is none: two constants.
    p : float or None
        Of that test; 1 for two equal constants. Two different ones have no p: nothing random is left.
    p_holm : float or None
        Over the family; a vetoed pair counts there with 1.
    before, after : bool
        Whether the pair is called different before and after Holm. Two different constants always are.
    difference : {"faster", "slower", "not_resolved"}
        After Holm; not resolved too where runs failed unequally, unless that is declared to be ignored, and
        where they had more ranks than CPUs.
    """

    baseline: Treatment
    treatment: Treatment
    stratum: Mapping[str, Scalar]
    labels: Mapping[str, Scalar]
    n_baseline: int
    n_treatment: int
    path: Path | Undefined
    checks: Checks | None = None
    outcome: TestOutcome | None = None
    p: float | None = None
    effects: Effects | None = None
    flags: tuple[ProtocolFlag, ...] = ()
    p_holm: float | None = None
    family_size: int | None = None
    before: bool = False
    after: bool = False
    difference: Difference = "not_resolved"

    @property
    def test(self) -> Test | None:
        """The test that was chosen."""
        return None if isinstance(self.path, Undefined) else TEST_OF[self.path]


def examine(pair: Pair, baseline: Profile, treatment: Profile, rules: Rules) -> ProtocolPair:
    """Check, choose, test."""
    path: Path | Undefined
    checks = found = outcome = p = None
    if not (baseline.usable and treatment.usable):
        path = Undefined(
            "not_finite" if baseline.ascending.size and treatment.ascending.size else "no_values"
        )
    else:
        checks, found = check(baseline, treatment), effects(baseline, treatment)
        if baseline.constant and treatment.constant:
            path = "constant"
            p = 1.0 if baseline.ascending[0] == treatment.ascending[0] else None
        else:
            degenerate = baseline.degenerate or treatment.degenerate
            path = "degenerate" if degenerate else choose(checks, rules.alpha)
            outcome = _tested(TEST_OF[path], baseline, treatment, rules)
            p = outcome.p if outcome else None
    return ProtocolPair(
        baseline=pair.baseline.treatment,
        treatment=pair.treatment.treatment,
        stratum=pair.stratum,
        labels=pair.treatment.labels,
        n_baseline=len(pair.baseline),
        n_treatment=len(pair.treatment),
        path=path,
        checks=checks,
        outcome=outcome,
        p=p,
        effects=found,
        flags=_flags(path, p, baseline, treatment, rules),
    )


def alternative_of(rules: Rules, better: str) -> Alternative:
    """Alternative under which the treatment is better than the baseline."""
    if rules.direction == "two-sided":
        return "two-sided"
    return "less" if better == "higher" else "greater"


def _tested(test: Test | None, baseline: Profile, treatment: Profile, rules: Rules) -> TestOutcome | None:
    alternative = alternative_of(rules, treatment.sample.metric.better)
    old, new = baseline.moments, treatment.moments
    if test in ("student", "welch") and old and new:
        between = (student if test == "student" else welch)(old, new)
        return between.tested(alternative) if between else None
    return rank_sum(baseline.ascending, treatment.ascending, alternative)


def _flags(
    path: Path | Undefined, p: float | None, baseline: Profile, treatment: Profile, rules: Rules
) -> tuple[ProtocolFlag, ...]:
    old, new = baseline.sample.failures, treatment.sample.failures
    constant = path == "constant"
    raised: dict[ProtocolFlag, bool] = {
        "undefined": isinstance(path, Undefined),
        "unequal_variance": path == "welch",
        "non_normal": path in ("shift", "order"),
        "shape_differs": path == "order",
        "vetoed": path == "order" and rules.on_shape == "veto",
        "degenerate": path == "degenerate" or (constant and p is not None),
        "deterministic_difference": constant and p is None,
        "resolution": baseline.coarse or treatment.coarse,
        "failures_unequal": unequal(old, new),
        "timed_out": old.timed_out + new.timed_out > 0,
        "crowded": "crowded" in (baseline.sample.provenance, treatment.sample.provenance),
    }
    return tuple(flag for flag, up in raised.items() if up)


def direction_of(pair: ProtocolPair, better: str) -> Difference:
    """Direction of a pair that differs: by the means where these were tested, by order elsewhere."""
    if pair.test in ("student", "welch") and pair.outcome is not None:
        larger = pair.outcome.statistic < 0
    elif pair.effects is not None and pair.effects.above is not None:
        larger = pair.effects.above.value > 0.5
    else:
        larger = pair.effects is not None and pair.effects.shift is not None and pair.effects.shift.value > 0
    return "faster" if larger == (better == "higher") else "slower"
