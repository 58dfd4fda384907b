from __future__ import annotations

import itertools
from collections import Counter

import pydoe
import pytest

from steelyard.core.factorial import Fraction, Generator
from steelyard.core.factorial.aberration import MOST_AXES, minimum_aberration, sizes, smallest
from steelyard.core.factorial.words import order

EVERY = [(k, n) for k in range(3, MOST_AXES + 1) for n in sizes(k)]


def lengths(fraction):
    """Words of length 3, 4, … in the defining relation."""
    counts = Counter(order(alias.word) for alias in fraction.defining[1:])
    return tuple(counts[size] for size in range(3, fraction.axes + 1))


@pytest.mark.parametrize(("k", "n"), EVERY)
def test_a_fraction_has_the_axes_and_treatments_asked_for(k, n):
    fraction = minimum_aberration(k, n)
    assert (fraction.axes, fraction.treatments, len(set(fraction.rows()))) == (k, n, n)


@pytest.mark.parametrize(("k", "n"), [(k, n) for k, n in EVERY if n <= 8 or (n == 16 and k <= 8)])
def test_no_choice_of_generators_confounds_less(k, n):
    basic = n.bit_length() - 1
    words = [word for word in range(1 << basic) if order(word) > 1]
    best = min(
        lengths(Fraction(k, tuple(Generator(basic + i, word) for i, word in enumerate(chosen))))
        for chosen in itertools.combinations(words, k - basic)
    )
    assert lengths(minimum_aberration(k, n)) == best


PUBLISHED = {
    # Chen, Sun and Wu 1993, Int. Statist. Rev. 61, 131-145, DOI 10.2307/1403599: words of length 3, 4, 5 of
    # the design with minimum aberration.
    (9, 16): (4, 14, 8),
    (10, 16): (8, 18, 16),
    (11, 16): (12, 26, 28),
    (12, 16): (16, 39, 48),
    (7, 32): (0, 1, 2),
    (8, 32): (0, 3, 4),
    (9, 32): (0, 6, 8),
    (10, 32): (0, 10, 16),
    (11, 32): (0, 25, 0),
    (8, 64): (0, 0, 2),
    (9, 64): (0, 1, 4),
    (10, 64): (0, 2, 8),
    (11, 64): (0, 4, 14),
}


@pytest.mark.parametrize(("k", "n"), PUBLISHED)
def test_larger_fractions_confound_as_little_as_the_published_ones(k, n):
    assert lengths(minimum_aberration(k, n))[:3] == PUBLISHED[k, n]


@pytest.mark.parametrize("resolution", [3, 4, 5])
@pytest.mark.parametrize("k", range(4, 12))
def test_the_smallest_fraction_of_a_resolution_is_as_small_as_that_of_pydoe(k, resolution):
    theirs = len(pydoe.fracfact_by_res(k, resolution))
    ours = smallest(k, resolution)
    assert (2**k if ours is None else ours.treatments) == theirs


def test_where_only_all_combinations_will_do_there_is_no_fraction():
    assert smallest(4, 5) is None
    with pytest.raises(KeyError):
        minimum_aberration(4, 16)
