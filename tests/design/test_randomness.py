from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from steelyard.design.randomness import generator, permutation


@given(items=st.lists(st.integers()), seed=st.integers(0, 2**63 - 1))
def test_a_permutation_keeps_every_item_and_touches_no_input(items, seed):
    before = list(items)
    assert Counter(permutation(items, generator(seed, "x"))) == Counter(items)
    assert items == before


def test_each_purpose_and_index_has_draws_of_its_own():
    keys = [
        (1, "order"),
        (1, "order", 1),
        (1, "order", 11),
        (1, "order", 1, 1),
        (1, "pass", 1),
        (2, "order", 1),
    ]
    assert len({generator(*key).random() for key in keys}) == len(keys)


def test_draws_are_those_of_every_version_of_python():
    # Pinned: a record that is continued under another Python must go on with the same plan.
    assert permutation(range(10), generator(1, "order", 1)) == [7, 1, 6, 2, 0, 3, 8, 5, 9, 4]


def test_every_order_of_four_is_equally_likely():
    # Chi-square with 23 degrees of freedom: below 49.7 with probability .999 (R: qchisq(.999, 23) = 49.728).
    orders = Counter(tuple(permutation(range(4), generator(seed, "order"))) for seed in range(4800))
    assert len(orders) == 24
    assert sum((count - 200) ** 2 / 200 for count in orders.values()) < 49.7
