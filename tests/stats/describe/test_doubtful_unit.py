from __future__ import annotations

from array import array

from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import BUILTIN, Metric
from steelyard.stats.describe.described import describe
from steelyard.stats.notices import doubtful_units

SCORE = Metric("score_s", "s", "user")


def described(metric, value, treatment=1, provenance="measured"):
    ids = array("q", [1, 2, 3])
    values = array("d", [value, 1.01 * value, 0.99 * value])
    sample = Sample(
        metric, Treatment(treatment, f"t{treatment}", {"t": treatment}), values, ids, ids, ids, ids,
        provenance=provenance,
    )  # fmt: skip
    return describe(sample)


def test_seconds_that_are_longer_than_the_trial_are_told_of_the_worst_treatment():
    samples = [
        described(BUILTIN["wall_s"], 0.4),
        described(SCORE, 312.0),
        described(BUILTIN["wall_s"], 0.4, 2),
        described(SCORE, 3120.0, 2),
    ]
    (notice,) = doubtful_units(samples)
    assert (notice.kind, notice.treatments) == ("longer_than_trial", ("t2",))
    assert (notice.fields["metric"], round(notice.fields["value"]), notice.fields["wall_s"]) == (
        "score_s",
        3120,
        samples[2].summary.mean,
    )


def test_what_is_no_longer_than_the_trial_or_in_another_unit_or_simulated_is_not():
    wall = described(BUILTIN["wall_s"], 0.4)
    assert doubtful_units([wall, described(SCORE, 0.41)]) == []
    assert doubtful_units([wall, described(Metric("score", "ms", "user"), 312.0)]) == []
    assert doubtful_units([wall, described(Metric("rate", "1/s", "user"), 312.0)]) == []
    assert doubtful_units([wall, described(Metric("total_s", "s", "derived"), 312.0)]) == []
    assert doubtful_units([wall, described(SCORE, 312.0, provenance="simulated")]) == []
    assert doubtful_units([described(SCORE, 312.0)]) == []
