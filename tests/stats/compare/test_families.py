"""Which comparisons are adjusted together."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.core.analysis import Analysis
from steelyard.stats.compare.comparison import compare
from steelyard.stats.compare.families import families

BY_PROGRAM = {"strata": ("program",), "baseline": {"opt": 0}}


def strata_of(rng, sample, count, *, effect=0.0, blocks=12):
    return [
        sample(
            np.exp(rng.normal(-effect * opt, 0.02, blocks)),
            treatment=2 * program + opt + 1,
            levels={"program": program, "opt": opt},
        )
        for program in range(count)
        for opt in (0, 1)
    ]


@pytest.mark.parametrize(
    ("count", "declared", "sizes"),
    [
        (3, {}, [1, 1, 1]),
        (4, {}, [4]),
        (4, {"family_over": "stratum"}, [1, 1, 1, 1]),
        (2, {"family_over": "experiment"}, [2]),
    ],
)
def test_a_family_is_a_stratum_and_from_four_on_the_experiment_unless_declared(count, declared, sizes):
    strata = [{"program": i} for i in range(count)]
    assert [len(family) for family in families(strata, Analysis(**declared))] == sizes


def test_the_experiment_is_the_family_that_the_comparisons_name(sample):
    result = compare(strata_of(np.random.default_rng(1), sample, 5), Analysis(**BY_PROGRAM))
    assert {item.family_size for item in result} == {5}
    apart = compare(
        strata_of(np.random.default_rng(1), sample, 5), Analysis(**BY_PROGRAM, family_over="stratum")
    )
    assert {element.family_size for element in apart} == {1}
    assert all(wide.p_holm >= narrow.p_holm for wide, narrow in zip(result, apart, strict=True))


def test_twelve_strata_of_equal_programs_are_called_different_in_at_most_6_of_100(sample, perfect_passes):
    """N = 300 experiments: at most 25 with any false finding; 80 and more with a family for each stratum."""
    count, most = 300, 25
    assert perfect_passes(count, 0.05, 0, most) > 0.98
    rng = np.random.default_rng(12)
    wide = narrow = 0
    for _ in range(count):
        samples = strata_of(rng, sample, 12)
        apart = Analysis(**BY_PROGRAM, family_over="stratum")
        wide += any(item.verdict != "not_resolved" for item in compare(samples, Analysis(**BY_PROGRAM)))
        narrow += any(element.verdict != "not_resolved" for element in compare(samples, apart))
    assert wide <= most
    assert narrow > 80


def test_false_discoveries_are_bounded_as_a_fraction_and_more_is_found(sample):
    rng = np.random.default_rng(13)
    samples = [
        item
        for program in range(10)
        for item in (
            sample(
                np.exp(rng.normal(0, 0.02, 12)),
                treatment=2 * program + 1,
                levels={"program": program, "opt": 0},
            ),
            sample(
                np.exp(rng.normal(-0.03 * (program < 6), 0.02, 12)),
                treatment=2 * program + 2,
                levels={"program": program, "opt": 1},
            ),
        )
    ]
    familywise = compare(samples, Analysis(**BY_PROGRAM))
    discovery = compare(samples, Analysis(**BY_PROGRAM, error_rate="false-discovery"))
    result = [sum(element.verdict == "faster" for element in them) for them in (familywise, discovery)]
    assert result[1] > result[0] > 0
    for element in discovery:
        assert (element.difference != "not_resolved") == (
            element.ci_family is None or element.ci_family.excludes(1)
        )
        assert (element.difference != "not_resolved") == (element.p_holm <= 0.05)
