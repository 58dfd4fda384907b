"""Values that hang on the treatment before: named, and in at most 1 % of answers wrongly."""

from __future__ import annotations

import sys
from array import array
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from scipy import stats as witness

from steelyard.core.analysis import Analysis
from steelyard.results.analysis import DesignFacts
from steelyard.stats.answer import answer
from steelyard.stats.compare.carry_over import carry_over

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "coverage"))

import carrying
from carrying import NOISES, Design, draw

NORMAL = NOISES["normal, 3 %"]
PAIR = Design(2, 60)


def carried(seed=1, design=PAIR, by=0.2):
    return draw(np.random.default_rng(seed), design, NORMAL, carried=by)


def test_the_treatment_and_the_one_before_it_are_named_with_the_ratio():
    result = carry_over(carried())
    assert (result.treatment.label, result.predecessor.label) == ("B", "A")
    assert result.ratio == pytest.approx(np.exp(0.2), rel=0.03)
    assert result.is_of_two
    assert result.p <= 0.01


def test_p_of_two_treatments_is_that_of_the_rank_sum_over_the_first_places():
    """SciPy's U, normal and without continuity, of blocks that B begins: by the end of the block before."""
    samples = draw(np.random.default_rng(3), Design(2, 80), NORMAL, carried=0.1)
    a, b = (np.log(sample.values) for sample in samples)
    before = np.maximum(np.array(samples[0].trials), np.array(samples[1].trials))
    last_is_a = np.array(samples[0].trials) == before
    begins = [i for i in range(1, 80) if samples[1].trials[i] < samples[0].trials[i]]
    slope = np.clip(witness.linregress(a[begins], b[begins]).slope, 0, 1)
    groups = [[b[i] - slope * a[i] for i in begins if last_is_a[i - 1] == after] for after in (True, False)]
    p = witness.mannwhitneyu(*groups, use_continuity=False, method="asymptotic").pvalue
    result = carry_over(samples)
    assert (result.runs, result.control_runs) == tuple(map(len, groups))
    assert result.p == pytest.approx(2 * p, rel=1e-9)
    assert np.log(result.ratio) == pytest.approx(np.median(groups[0]) - np.median(groups[1]), abs=1e-12)


def test_a_first_place_that_is_slow_for_all_is_no_carry_over():
    samples = draw(np.random.default_rng(5), Design(2, 400), lambda rng, size: rng.normal(0, 0.001, size))
    assert carry_over(samples) is None


@pytest.mark.parametrize("noise", ["AR(1) 0.8", "exponential tail", "clock of 1 %"])
@pytest.mark.parametrize("design", [Design(2, 80), Design(3, 30)])
def test_without_carry_over_at_most_1_percent_have_the_notice(perfect_passes, design, noise):
    count, most = 250, 9
    assert perfect_passes(count, 0.01, 0, most) ** 6 > 0.98
    assert carrying.count_wrong(design, NOISES[noise], count, 475) <= most


def test_a_notice_beside_a_verdict_is_no_more_often_wrong(perfect_passes):
    verdicts, wrong = carrying.count_with_verdict(Design(2, 80), NORMAL, 250, 475)
    assert verdicts > 60
    assert perfect_passes(verdicts, 0.01, 0, 6) > 0.98
    assert wrong <= 6


def test_of_five_treatments_the_pair_is_named():
    result = carry_over(carried(design=Design(5, 80), by=0.15))
    assert (result.treatment.label, result.predecessor.label) == ("B", "A")
    assert not result.is_of_two


@pytest.mark.parametrize(
    "change",
    [
        lambda sample: replace(sample, values=array("d", [0.0] * len(sample))),
        lambda sample: replace(sample, values=array("d", [1.0] * len(sample))),
        lambda sample: replace(sample, trials=sample.blocks),
    ],
    ids=["zeros", "equal values", "no order of trials"],
)
def test_where_nothing_can_be_told_nothing_is(change):
    assert carry_over([change(sample) for sample in carried()]) is None


def test_a_few_blocks_are_not_tested():
    assert carry_over(carried(design=Design(2, 6), by=2.0)) is None


def find_notice(samples, **facts):
    design = DesignFacts(**{"order": "randomized-blocks", "blocks": 60, "seed": 1} | facts)
    return next(
        (n for n in answer("e", samples, design, Analysis()).warnings if n.kind == "carry_over"), None
    )


def test_an_answer_has_the_notice_where_the_order_was_drawn_here():
    notice = find_notice(carried())
    assert notice.treatments == ("B", "A")
    assert notice.fields["is_of_two"]
    assert find_notice(carried(), order="sequential") is None
    assert find_notice(carried(), machines={1: "x", 2: "y"}, contexts=2) is None
    assert find_notice([replace(sample, provenance="simulated") for sample in carried()]) is None
