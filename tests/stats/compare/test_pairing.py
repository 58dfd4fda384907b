from __future__ import annotations

import pytest

from steelyard.core.analysis import Analysis
from steelyard.core.errors import UsageError
from steelyard.stats.compare.pairing import pair_up


@pytest.fixture
def factorial(sample):
    """opt × n × threads, 2 × 2 × 2, ids from 1."""
    levels = [{"opt": o, "n": n, "threads": t} for o in ("O2", "O3") for n in (1, 2) for t in (1, 2)]
    return [sample([1.0], treatment=i, levels=item) for i, item in enumerate(levels, 1)]


def ids(pairs):
    return [(pair.baseline.treatment.id, pair.treatment.treatment.id) for pair in pairs.pairs]


def test_without_a_baseline_everything_is_compared_with_the_first_treatment(factorial):
    assert ids(pair_up(factorial[::-1], Analysis())) == [(1, i) for i in range(2, 9)]


def test_a_treatment_is_compared_with_the_baseline_that_agrees_in_every_other_factor(factorial):
    assert ids(pair_up(factorial, Analysis(baseline={"opt": "O2"}))) == [(1, 5), (2, 6), (3, 7), (4, 8)]


def test_within_strata_the_first_treatment_of_each_is_the_baseline(factorial):
    pairs = pair_up(factorial, Analysis(strata=("opt", "n")))
    assert ids(pairs) == [(1, 2), (3, 4), (5, 6), (7, 8)]
    assert pairs.pairs[3].stratum == {"opt": "O3", "n": 2}


def test_all_pairs_stay_within_their_stratum(factorial):
    assert ids(pair_up(factorial, Analysis(family="all-pairs", strata=("opt",)))) == [
        (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4),
        (5, 6), (5, 7), (5, 8), (6, 7), (6, 8), (7, 8),
    ]  # fmt: skip


def test_a_treatment_whose_baseline_was_excluded_is_compared_with_nothing_and_named(factorial):
    pairs = pair_up([s for s in factorial if s.treatment.id != 2], Analysis(baseline={"opt": "O2"}))
    assert ids(pairs) == [(1, 5), (3, 7), (4, 8)]
    assert [treatment.id for treatment in pairs.without_baseline] == [6]


def test_linked_factors_find_the_only_baseline_of_their_stratum(sample):
    samples = [
        sample([1.0], treatment=i, levels={"nodes": n, "scale": n + 13}) for i, n in enumerate((1, 2, 4), 1)
    ]
    assert ids(pair_up(samples, Analysis(baseline={"nodes": 1}))) == [(1, 2), (1, 3)]


def test_values_with_different_labels_are_never_compared(sample):
    samples = [
        sample([1.0], treatment=t, metric="latency_s", labels={"op": op}) for t in (1, 2) for op in ("a", "b")
    ]
    pairs = pair_up(samples, Analysis(metric="latency_s"))
    assert [(p.baseline.labels, p.treatment.labels) for p in pairs.pairs] == [
        ({"op": "a"},) * 2,
        ({"op": "b"},) * 2,
    ]
    assert all(pair.stratum == {} for pair in pairs.pairs)


def test_a_label_can_be_a_stratum(sample):
    samples = [sample([1.0], treatment=t, labels={"op": op}) for t in (1, 2) for op in ("a", "b")]
    assert [p.stratum for p in pair_up(samples, Analysis(strata=("op",))).pairs] == [{"op": "a"}, {"op": "b"}]


def test_a_stratum_that_does_not_exist_is_named_with_those_that_do(factorial):
    with pytest.raises(
        UsageError, match=r"analysis\.strata: 'size' is neither a factor nor a label of wall_s"
    ) as e:
        pair_up(factorial, Analysis(strata=("size",)))
    assert e.value.hint == "name one of: opt, n, threads"


def test_a_baseline_that_no_treatment_has_is_named_with_the_treatments(factorial):
    with pytest.raises(UsageError, match=r"analysis\.baseline: no treatment has opt = 'O9'") as e:
        pair_up(factorial, Analysis(baseline={"opt": "O9"}))
    assert e.value.hint.startswith("the treatments are: t1, t2")


def test_one_treatment_is_compared_with_nothing(sample):
    assert pair_up([sample([1.0])], Analysis()).pairs == ()
