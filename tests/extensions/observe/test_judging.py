"""``unperturbed`` and ``validates``; SciPy's t tests are the witness."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.report.claims.claim import format_claim_text

PROBES = {"probe": ["none", "strace"]}
ENOUGH = 300
"""Blocks that would show slow runs which carry a mean over 1 %."""
UNPERTURBED = {
    "unperturbed": "wall_s",
    "probe": {"probe": "strace"},
    "without": {"probe": "none"},
    "within": 0.01,
}

LAYOUTS = {"layout": ["large", "small"], "probe": ["off", "on"]}
VALIDATES = {
    "validates": "misses",
    "intervention": {"layout": "small"},
    "than": {"layout": "large"},
    "probe": {"probe": "on"},
    "without": {"probe": "off"},
    "direction": "lower",
    "least": 1.5,
    "outcome": "misses",
}


def probed(noise, ratio, *, spread=0.005):
    draw = noise(1, spread)
    return lambda levels, blocks: draw(blocks.size) * (ratio if levels["probe"] == "strace" else 1.0)


def test_unperturbed_is_two_one_sided_tests_and_no_missing_significance(bench, noise):
    result = bench(PROBES, [UNPERTURBED], probed(noise, 1.002), blocks=ENOUGH)
    (verdict,) = result.judge()
    none, strace = (result.made[t.id] for t in result.treatments)
    logs = np.log(none) - np.log(strace)
    low = witness.ttest_1samp(logs, np.log(0.99), alternative="greater").pvalue
    high = witness.ttest_1samp(logs, np.log(1.01), alternative="less").pvalue
    # More careful than t by itself: of equality a long tail is allowed for.
    assert 2 * max(low, high) <= verdict.family.p <= 0.05
    assert verdict.outcome == "holds"
    assert bench(PROBES, [UNPERTURBED], probed(noise, 1.05)).judge()[0].outcome == "fails"
    # Not significant either, and nothing is shown by that.
    wide = bench(PROBES, [UNPERTURBED], probed(noise, 1.002, spread=0.2))
    assert wide.judge()[0].outcome == "not_resolved"


def test_the_baseline_of_the_analysis_is_what_is_without_a_probe_by_default(bench, noise):
    claim = {key: value for key, value in UNPERTURBED.items() if key != "without"}
    baseline = {"baseline": {"probe": "none"}}
    result = bench(PROBES, [claim], probed(noise, 1.0), analysis=baseline, blocks=ENOUGH)
    assert result.judge()[0].outcome == "holds"
    assert format_claim_text(result.experiment.claims[0]) == "wall_s unperturbed by strace within 1 %"


def layouts(noise, *, with_probe, without):
    """The small layout divides the metric by these; the probe itself makes it three times as much."""
    draw = noise(2, 0.02)

    def values(levels, blocks):
        on = levels["probe"] == "on"
        by = (with_probe if on else without) if levels["layout"] == "small" else 1.0
        return draw(blocks.size) * (3.0 if on else 1.0) / by

    return values


@pytest.mark.parametrize(
    ("with_probe", "without", "outcome"),
    [(2.0, 1.2, "holds"), (1.2, 1.2, "fails"), (2.0, 0.8, "fails"), (1.5, 1.2, "not_resolved")],
)
def test_a_belief_is_confirmed_where_both_predictions_hold_else_refuted(
    bench, noise, with_probe, without, outcome
):
    values = layouts(noise, with_probe=with_probe, without=without)
    (verdict,) = bench(LAYOUTS, [VALIDATES], values, metric="misses").judge()
    assert verdict.outcome == outcome
    ratios = [instance.evidence.ratio for instance in verdict.instances]
    assert ratios == pytest.approx([with_probe, without], rel=0.03)
    assert [instance.evidence.treatment for instance in verdict.instances] == [
        "layout=small, probe=on",
        "layout=small, probe=off",
    ]


@pytest.mark.parametrize(
    ("better", "direction", "ratio"), [("higher", "higher", 2.0), ("higher", "lower", 0.5)]
)
def test_the_direction_is_that_of_the_metric_whichever_way_is_better(bench, noise, better, direction, ratio):
    claim = {**VALIDATES, "direction": direction, "outcome": "rate"}
    claim["validates"] = "rate"
    draw = noise(3, 0.02)

    def values(levels, blocks):
        small = levels["layout"] == "small"
        # Without the probe, small is better: higher.
        by = (ratio if levels["probe"] == "on" else 1.3) if small else 1.0
        return draw(blocks.size) * by

    (verdict,) = bench(LAYOUTS, [claim], values, metric="rate", better=better).judge()
    assert verdict.outcome == "holds"


def test_what_is_claimed_is_said_in_a_sentence(bench, noise):
    result = bench(LAYOUTS, [VALIDATES], layouts(noise, with_probe=2, without=2), metric="misses")
    assert (
        format_claim_text(result.experiment.claims[0]) == "small makes misses lower by 1.5 and misses better"
    )


@pytest.mark.parametrize(("cost", "outcome"), [(3.0, "holds"), (2.4, "fails"), (2.94, "not_resolved")])
def test_the_probe_must_cost_the_outcome_the_same_either_way_where_that_is_claimed(
    bench, noise, cost, outcome
):
    # SciPy's paired tests of the interaction are the witness.
    claim = {**VALIDATES, "least": 1.1, "within": 0.02}
    draw = noise(4, 0.01)

    def values(levels, blocks):
        small = levels["layout"] == "small"
        on = (cost if small else 3.0) if levels["probe"] == "on" else 1.0
        return draw(blocks.size) * on / (2.0 if small else 1.0)

    by_t = {"interval": "log-delta"}
    result = bench(LAYOUTS, [claim], values, metric="misses", analysis=by_t, blocks=ENOUGH)
    (verdict,) = result.judge()
    assert verdict.outcome == outcome
    interaction = verdict.instances[-1].evidence
    large_off, large_on, small_off, small_on = (np.log(result.made[t.id]) for t in result.treatments)
    logs = (large_on - large_off) - (small_on - small_off)
    assert interaction.ratio == pytest.approx(np.exp(logs.mean()), rel=1e-9)
    low = witness.ttest_1samp(logs, np.log(0.98), alternative="greater").pvalue
    high = witness.ttest_1samp(logs, np.log(1.02), alternative="less").pvalue
    if outcome == "holds":
        assert interaction.p == pytest.approx(2 * max(low, high), rel=1e-9)
