"""The kernel against the same resamples drawn in Python, with a Philox of our own."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from steelyard import _kernels
from steelyard.stats.compare.bootstrap_t import studentised_groups, studentised_logs
from steelyard.stats.compare.contrast import contrast

N = 13
MASK = 0xFFFFFFFF


def philox(counter, key):
    """Philox-4x32-10 as in Salmon et al. 2011, DOI 10.1145/2063384.2063405."""
    a, b, c, d = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (p1 >> 32) ^ b ^ k0, p1 & MASK, (p0 >> 32) ^ d ^ k1, p0 & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return a, b, c, d


def indices(resample, n, seed, stream):
    key = seed & MASK, seed >> 32
    words = [
        word
        for draw in range((n + 3) // 4)
        for word in philox((resample & MASK, resample >> 32, draw, stream), key)
    ]
    return [word * n >> 32 for word in words[:n]]


@pytest.fixture(scope="module")
def two():
    rng = np.random.default_rng(9)
    x, y = rng.normal(0, 0.1, N), rng.normal(0, 0.2, N)
    return x - x.mean(), y - y.mean()


def test_our_philox_gives_the_published_answers():
    """Random123, kat_vectors: philox4x32 10."""
    assert philox((0, 0, 0, 0), (0, 0)) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    ones = (MASK,) * 4
    assert philox(ones, ones[:2]) == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)


SEED = 0x1234_5678_9ABC


def test_of_a_mean(two):
    x = two[0]
    drawn = [x[indices(r, N, SEED, 0)] for r in range(70)]
    expected = [d.mean() / (d.std(ddof=1) / math.sqrt(N)) for d in drawn]
    assert _kernels.studentised_mean(x, SEED, 70) == pytest.approx(expected, rel=1e-10)


def test_of_a_difference(two):
    x, y = two[0], two[1][:9] - two[1][:9].mean()
    drawn = [(x[indices(r, N, SEED, 0)], y[indices(r, 9, SEED, 1)]) for r in range(70)]
    expected = [
        (a.mean() - b.mean()) / math.hypot(a.std(ddof=1) / N**0.5, b.std(ddof=1) / 3) for a, b in drawn
    ]
    assert _kernels.studentised_difference(x, y, SEED, 70) == pytest.approx(expected, rel=1e-9)


def test_of_a_ratio_of_independent_means(two):
    x, y = two
    drawn = [(1 + x[indices(r, N, SEED, 0)], 1 + y[indices(r, N, SEED, 1)]) for r in range(70)]
    expected = [
        math.log(a.mean() / b.mean())
        / math.hypot(a.std(ddof=1) / a.mean() / N**0.5, b.std(ddof=1) / b.mean() / N**0.5)
        for a, b in drawn
    ]
    assert _kernels.studentised_log_ratio(x, y, False, SEED, 70) == pytest.approx(expected, rel=1e-9)


def test_of_a_ratio_of_paired_means(two):
    x, y = two
    at = [indices(r, N, SEED, 0) for r in range(70)]
    drawn = [(1 + x[i], 1 + y[i]) for i in at]
    expected = [
        math.log(a.mean() / b.mean()) / ((a / a.mean() - b / b.mean()).std(ddof=1) / N**0.5) for a, b in drawn
    ]
    assert _kernels.studentised_log_ratio(x, y, True, SEED, 70) == pytest.approx(expected, rel=1e-9)


def test_of_groups(two):
    values, starts = two[0], np.array([0, 4, 7, 13])
    expected = []
    centre = np.mean([values[a:b].mean() for a, b in pairwise(starts)])
    for r in range(70):
        means = []
        for place, group in enumerate(indices(r, 3, SEED, 0)):
            value = values[starts[group] : starts[group + 1]]
            means.append(value[indices(r, value.size, SEED, place + 1)].mean())
        se = np.std(means, ddof=1) / math.sqrt(3)
        expected.append((np.mean(means) - centre) / se if se > 1e-12 else math.inf)
    result = _kernels.studentised_groups(values, starts, SEED, 70)
    finite = np.isfinite(result) & np.isfinite(expected)
    assert finite.sum() > 50
    assert result[finite] == pytest.approx(np.array(expected)[finite], rel=1e-8)


@pytest.mark.parametrize("resamples", [1, 31, 32, 33, 1000, 10_001])
def test_the_result_depends_on_the_seed_and_not_on_the_threads(two, resamples):
    result = _kernels.studentised_log_ratio(*two, True, 5, resamples, 1)
    for threads in (2, 3, 7):
        assert (_kernels.studentised_log_ratio(*two, True, 5, resamples, threads) == result).all()
    starts = np.array([0, 4, 7, 13])
    groups = [_kernels.studentised_groups(two[0], starts, 5, resamples, threads) for threads in (1, 3)]
    assert (groups[0] == groups[1]).all()
    assert resamples < 10 or (_kernels.studentised_log_ratio(*two, True, 6, resamples, 1) != result).any()


def test_fewer_resamples_are_the_first_of_more(two):
    many = _kernels.studentised_mean(two[0], 1, 1000)
    assert (_kernels.studentised_mean(two[0], 1, 100) == many[:100]).all()


@pytest.mark.simulates
def test_every_index_is_drawn_equally_often():
    """How often one value is among 10,000 x 30 draws: 30 counts, chi-square with p above 1e-4 (71.2)."""
    m = np.arange(1, 30)
    # m copies of a one among zeros: mean* = m / 30, s*^2 = (m / 30) (1 - m / 30) 30 / 29.
    table = (m / 30 - 1 / 30) / np.sqrt(m / 30 * (1 - m / 30) / 29)
    counts = []
    for i in range(30):
        x = np.zeros(30)
        x[i] = 1.0
        t = _kernels.studentised_mean(x - x.mean(), 3, 10_000)
        result = t[np.isfinite(t)]  # without any one, all are equal
        copies = np.searchsorted(table, result + 1e-9)
        assert table[copies - 1] == pytest.approx(result, abs=1e-9)
        counts.append(int(copies.sum()))
    assert sum(counts) == 300_000
    assert sum((count - 10_000) ** 2 / 10_000 for count in counts) < 71.2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: _kernels.studentised_mean(np.zeros(1), 1), "two values"),
        (lambda: _kernels.studentised_difference(np.zeros(3), np.zeros(1), 1), "two values"),
        (lambda: _kernels.studentised_log_ratio(np.zeros(3), np.zeros(4), True, 1), "pairs"),
        (lambda: _kernels.studentised_groups(np.zeros(3), np.array([0, 3]), 1), "two groups"),
        (lambda: _kernels.studentised_groups(np.zeros(3), np.array([0, 2, 2, 3]), 1), "not empty"),
        (lambda: _kernels.studentised_groups(np.zeros(3), np.array([0, 2, 4]), 1), "two groups"),
    ],
)
def test_what_cannot_be_resampled_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_resamples_of_equal_values_are_infinitely_far_or_nowhere():
    t = _kernels.studentised_mean(np.array([-1.0, 1.0]), 1, 1000)
    assert set(t[~np.isfinite(t)]) == {-math.inf, math.inf}
    assert not np.isnan(t).any()
    assert (_kernels.studentised_mean(np.zeros(4), 1, 50) == 0).all()


def test_values_of_equal_blocks_give_ascending_draws(sample):
    rng = np.random.default_rng(10)
    old, new = np.exp(rng.normal(0, 0.1, (2, 12)))
    for order in ("randomized-blocks", "sequential"):
        t = studentised_logs(contrast(sample(old), sample(new, treatment=2), order=order), seed=1)
        assert (np.diff(t) >= 0).all()
    assert (np.diff(studentised_groups([old, new], seed=1)) >= 0).all()
