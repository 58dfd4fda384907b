"""The cache holds results of the very sample, and not for long."""

from __future__ import annotations

import copy

import pytest

from steelyard.stats.cached import cache


@pytest.fixture
def requests():
    return []


@pytest.fixture
def lengths(requests):
    @cache
    def length(sample):
        requests.append(sample)
        return len(sample)

    return length


def test_a_baseline_is_looked_at_once_while_its_pairs_pass_by(lengths, requests, sample):
    baseline, *samples = (sample([1.0, 2.0]) for _ in range(5))
    for second in samples:
        assert lengths(baseline) + lengths(second) == 4
    assert requests == [baseline, *samples]


def test_equal_samples_are_not_the_same_sample(lengths, requests, sample):
    result = sample([1.0, 2.0])
    copied = copy.copy(result)
    assert result == copied
    for element in (result, copied, result):
        lengths(element)
    assert [item is result for item in requests] == [True, False]


def test_a_third_sample_makes_it_forget_the_first(lengths, requests, sample):
    samples = [sample([float(i)]) for i in range(3)]
    for item in (*samples, samples[0]):
        lengths(item)
    assert len(requests) == 4
