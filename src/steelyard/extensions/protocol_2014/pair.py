"""``ProtocolPair``: one pair of samples through the protocol, up to its own p; Holm comes after all pairs."""

from __future__ import annotations

from steelyard.extensions.protocol_2014.f_test import variance_ratio
from steelyard.extensions.protocol_2014.kolmogorov_smirnov import kolmogorov_smirnov, same_shape
from steelyard.extensions.protocol_2014.profile import SampleProfile
from steelyard.extensions.protocol_2014.results import (
    TEST_OF,
    Above,
    Checks,
    Path,
    ProtocolEffects,
    ProtocolFlag,
    ProtocolPair,
    Rules,
    Test,
)
from steelyard.results.comparison import Difference
from steelyard.results.flags import unequal
from steelyard.results.hypothesis import Alternative, TestOutcome
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.adjusted_speedup import adjusted_speedup, cv
from steelyard.stats.compare.contrast import Contrast, contrast
from steelyard.stats.compare.pairing import Pair
from steelyard.stats.hypothesis.brunner_munzel import superiority
from steelyard.stats.hypothesis.hodges_lehmann import shift
from steelyard.stats.hypothesis.mann_whitney import rank_sum
from steelyard.stats.hypothesis.t_tests import student, welch


def effects(baseline: SampleProfile, treatment: SampleProfile) -> ProtocolEffects:
    """Compute effect sizes of two usable samples, whichever test they take."""
    between = contrast(baseline.sample, treatment.sample, order="sequential")
    means = (
        adjusted_speedup(between, cv(between.old.raws), cv(between.new.raws))
        if isinstance(between, Contrast)
        else None
    )
    above = superiority(baseline.ascending, treatment.ascending)
    tested = above.test() if above else None
    return ProtocolEffects(
        ratio_of_means=means,
        shift=shift(baseline.ascending, treatment.ascending),
        above=Above(above.value, above.interval(), tested.p if tested else None) if above else None,
    )


def check(baseline: SampleProfile, treatment: SampleProfile) -> Checks:
    """Every check of two usable samples."""
    old, new = baseline.moments, treatment.moments
    # Rounding of the mean leaves equal values a variance.
    varied = not (baseline.constant or treatment.constant)
    return Checks(
        normality_baseline=baseline.normality,
        normality_treatment=treatment.normality,
        variances=variance_ratio(old.variance, old.n, new.variance, new.n)
        if old and new and varied
        else None,
        raw=kolmogorov_smirnov(baseline.ascending, treatment.ascending),
        centred=same_shape(baseline.ascending, treatment.ascending),
    )


def examine(pair: Pair, baseline: SampleProfile, treatment: SampleProfile, rules: Rules) -> ProtocolPair:
    """Check, choose, test."""
    path: Path | Undefined
    checks = sizes = outcome = p = None
    if not (baseline.usable and treatment.usable):
        path = Undefined(
            "not_finite" if baseline.ascending.size and treatment.ascending.size else "no_values"
        )
    else:
        checks, sizes = check(baseline, treatment), effects(baseline, treatment)
        if baseline.constant and treatment.constant:
            path, p = "constant", _constants_p(baseline, treatment, rules)
        else:
            degenerate = baseline.degenerate or treatment.degenerate
            path = "degenerate" if degenerate else choose(checks, rules.alpha)
            outcome = _test(TEST_OF[path], baseline, treatment, rules)
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
        effects=sizes,
        flags=_compute_flags(path, baseline, treatment, rules),
    )


def choose(checks: Checks, alpha: float) -> Path:
    """Row of the decision table for two samples that each have a shape."""
    if _is_normal(checks, alpha):
        return "student" if checks.variances is not None and checks.variances.p > alpha else "welch"
    return "shift" if checks.centred is None or checks.centred.p > alpha else "order"


def _is_normal(checks: Checks, alpha: float) -> bool:
    """Whether Shapiro and Wilk reject neither sample."""
    both = (checks.normality_baseline, checks.normality_treatment)
    return all(normality is not None and normality.p > alpha for normality in both)


def alternative_of(rules: Rules, better: str) -> Alternative:
    """Alternative under which the treatment is better than the baseline."""
    if rules.direction == "two-sided":
        return "two-sided"
    return "less" if better == "higher" else "greater"


def _test(
    test: Test | None, baseline: SampleProfile, treatment: SampleProfile, rules: Rules
) -> TestOutcome | None:
    alternative = alternative_of(rules, treatment.sample.metric.better)
    old, new = baseline.moments, treatment.moments
    if test in ("student", "welch") and old and new:
        between = (student if test == "student" else welch)(old, new)
        return between.test(alternative) if between else None
    return rank_sum(baseline.ascending, treatment.ascending, alternative)


def _constants_p(baseline: SampleProfile, treatment: SampleProfile, rules: Rules) -> float:
    """Return the p of two constants, by all arrangements of their values.

    It is 2 / C(m + n, m) where they differ, half of it on the side that is tested, and 1.
    """
    old, new = baseline.ascending, treatment.ascending
    alternative = alternative_of(rules, treatment.sample.metric.better)
    against = {"two-sided": False, "less": old[0] > new[0], "greater": old[0] < new[0]}[alternative]
    return 1.0 if old[0] == new[0] or against else rules.least_p(old.size, new.size)


def _compute_flags(
    path: Path | Undefined, baseline: SampleProfile, treatment: SampleProfile, rules: Rules
) -> tuple[ProtocolFlag, ...]:
    old, new = baseline.sample.failures, treatment.sample.failures
    constant = path == "constant"
    equal = constant and baseline.ascending[0] == treatment.ascending[0]
    ranked = path in ("shift", "order", "degenerate", "constant")
    raised: dict[ProtocolFlag, bool] = {
        "undefined": isinstance(path, Undefined),
        "unequal_variance": path == "welch",
        "non_normal": path in ("shift", "order"),
        "shape_differs": path == "order",
        "vetoed": path == "order" and rules.on_shape == "veto",
        "degenerate": path == "degenerate" or equal,
        "deterministic_difference": constant and not equal,
        "too_few": ranked and rules.least_p(len(baseline.sample), len(treatment.sample)) > rules.alpha,
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
