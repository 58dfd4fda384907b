"""``--validate``: how often a verdict about a part is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from explanations import explanation
from scipy import stats

from steelyard.core.errors import RecordError
from steelyard.extensions.explain.validation import FILE_OF_TESTS, add_validations, judge_undone
from steelyard.results.interval import Interval


def test_a_damaged_list_of_tests_is_an_error_with_a_cure(tmp_path):
    (tmp_path / FILE_OF_TESTS).write_text("[{}]")
    with pytest.raises(RecordError, match="is damaged") as caught:
        add_validations(explanation(), tmp_path)
    assert caught.value.hint == "remove it, or validate again"


@pytest.mark.parametrize(
    ("undone", "message", "verdict"),
    [
        ((0.03, 0.05), (0.035, 0.045), "confirmed"),
        ((-0.001, 0.001), (0.035, 0.045), "refuted"),
        ((0.01, 0.03), (0.035, 0.045), "not_resolved"),
        ((-0.05, -0.03), (-0.045, -0.035), "confirmed"),
        ((0.03, 0.05), (-0.045, -0.035), "refuted"),
        ((-0.001, 0.001), (0.0, 0.045), "not_resolved"),
    ],
)
def test_a_verdict_needs_both_intervals(undone, message, verdict):
    assert judge_undone(Interval(*undone), Interval(*message)) == verdict


def test_a_verdict_without_a_spread_is_not_resolved():
    assert judge_undone(None, Interval(0.01, 0.02)) == "not_resolved"


def intervals(draw, mean, sd, blocks, runs):
    """Student's 95 % intervals of means, by SciPy."""
    values = draw.normal(mean, sd, (runs, blocks))
    half = stats.t.ppf(0.975, blocks - 1) * values.std(axis=1, ddof=1) / blocks**0.5
    means = values.mean(axis=1)
    return [Interval(*ends) for ends in zip(means - half, means + half, strict=True)]


@pytest.mark.parametrize("blocks", [12, 20])
def test_where_half_of_it_goes_either_verdict_is_wrong_in_5_percent_at_most(blocks):
    draw = np.random.default_rng(66)
    runs, truth = 2_000, 0.04
    for noise in (0.002, 0.01, 0.03):
        undone = intervals(draw, truth / 2, noise, blocks, runs)
        text = intervals(draw, truth, noise, blocks, runs)
        wrong = sum(judge_undone(*pair) != "not_resolved" for pair in zip(undone, text, strict=True))
        assert wrong / runs <= 0.05


def test_a_true_contribution_is_confirmed_and_a_false_one_refuted():
    draw = np.random.default_rng(67)
    text = intervals(draw, 0.04, 0.01, 20, 500)
    verdicts = [judge_undone(*pair) for pair in zip(intervals(draw, 0.04, 0.01, 20, 500), text, strict=True)]
    none = [judge_undone(*pair) for pair in zip(intervals(draw, 0.0, 0.01, 20, 500), text, strict=True)]
    assert verdicts.count("confirmed") > 450 < none.count("refuted")
    assert verdicts.count("refuted") == none.count("confirmed") == 0
