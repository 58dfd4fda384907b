from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.factorial import Axis, Generator, Layout
from steelyard.core.factorial.confounding import confounding


def axis(name, *levels):
    return Axis(name, tuple({name: level} for level in levels))


def two_step(k):
    return tuple(axis(f"x{j}", 0, 1) for j in range(k))


@given(sizes=st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_all_combinations_are_run_and_the_last_axis_changes_fastest(sizes):
    axes = tuple(axis(f"x{j}", *range(size)) for j, size in enumerate(sizes))
    layout = Layout("full", axes)
    expected = list(itertools.product(*map(range, sizes)))
    assert list(layout.combinations()) == expected
    assert layout.count == len(expected)


@given(sizes=st.lists(st.integers(1, 4), min_size=1, max_size=5), data=st.data())
def test_one_at_a_time_changes_one_axis_of_the_base(sizes, data):
    axes = tuple(axis(f"x{j}", *range(size)) for j, size in enumerate(sizes))
    base = tuple(data.draw(st.integers(0, size - 1)) for size in sizes)
    layout = Layout("one-at-a-time", axes, base=base)
    result = list(layout.combinations())
    assert result[0] == base
    assert all(sum(a != b for a, b in zip(item, base, strict=True)) == 1 for item in result[1:])
    assert len(set(result)) == len(result) == layout.count


@pytest.mark.parametrize("k", range(2, 48))
def test_each_axis_of_a_screening_is_balanced_against_each_other(k):
    layout = Layout("plackett-burman", two_step(k))
    result = np.array(list(layout.combinations()))
    assert len({tuple(row) for row in result}) == len(result) == layout.count
    signs = 2 * result - 1
    assert (signs.T @ signs == len(result) * np.eye(k)).all()
    assert (signs.sum(axis=0) == 0).all()


def test_a_fraction_runs_the_combinations_that_its_generators_allow():
    layout = Layout("fraction", two_step(4), (Generator(3, 0b0111),))
    result = list(layout.combinations())
    assert result == sorted(
        item
        for item in itertools.product((0, 1), repeat=4)
        if np.prod([2 * step - 1 for step in item[:3]]) == 2 * item[3] - 1
    )
    assert layout.count == 8


def test_an_axis_with_one_step_stays_where_it_is():
    axes = (axis("a", 0, 1), axis("still", 7), axis("b", 0, 1), axis("c", 0, 1))
    layout = Layout("fraction", axes, (Generator(2, 0b11),))
    cells = list(layout.cells())
    assert layout.names == ("a", "b", "c")
    assert [cell["still"] for cell in cells] == [7] * 4
    assert [layout.steps(cell) for cell in cells] == [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1)]


def test_levels_that_look_alike_are_on_steps_of_their_own():
    mixed = axis("x", 1, True, "1")
    assert [mixed.step({"x": level}) for level in (1, True, "1")] == [0, 1, 2]
    with pytest.raises(ValueError, match="no step of x"):
        mixed.step({"x": 2})


NAMED = (axis("opt", 0, 1), axis("threads", 0, 1), axis("n", 0, 1), axis("affinity", 0, 1))


def test_a_fraction_of_resolution_three_says_which_effects_share_a_contrast():
    assert confounding(Layout("fraction", NAMED[:3], (Generator(2, 0b011),))) == [
        "the effect of opt cannot be told from that of threads × n",
        "the effect of threads cannot be told from that of opt × n",
        "the effect of n cannot be told from that of opt × threads",
    ]


def test_a_fraction_of_resolution_four_says_which_pairs_share_a_contrast():
    assert confounding(Layout("fraction", NAMED, (Generator(3, 0b0111, -1),))) == [
        "the interaction opt × threads cannot be told from n × affinity",
        "the interaction opt × n cannot be told from threads × affinity",
        "the interaction opt × affinity cannot be told from threads × n",
        "main effects cannot be told from interactions of three factors (resolution IV)",
    ]


def test_a_fraction_of_resolution_five_is_said_to_confound_only_what_is_rare():
    (result,) = confounding(Layout("fraction", two_step(5), (Generator(4, 0b01111),)))
    assert result == (
        "main effects and interactions of two factors can only be mistaken for interactions of 3 factors or"
        " more (resolution V)"
    )


def test_a_screening_of_five_says_how_much_of_each_pair_a_main_effect_holds():
    # Montgomery, section 8.6.3: in 12 runs each main effect is aliased with a third of every such pair.
    result = confounding(Layout("plackett-burman", two_step(9)))
    assert result == [
        (
            "each main effect also holds 1/3 of the interactions of pairs of other factors: it is theirs too,"
            " where they are large"
        ),
        "interactions are not estimated: Plackett-Burman designs are for main effects",
    ]


def test_a_screening_whose_size_is_a_power_of_two_says_which_pairs_it_takes_whole():
    result = confounding(Layout("plackett-burman", two_step(4)))
    assert result[0].startswith("the effect of x0 cannot be told from that of ")


def test_one_at_a_time_sees_no_interaction_and_all_combinations_see_every_one():
    assert confounding(Layout("one-at-a-time", NAMED[:2])) == [
        "opt and threads change one at a time: whether they interact cannot be seen"
    ]
    assert confounding(Layout("full", NAMED)) == confounding(Layout("two-level", NAMED)) == []


def test_many_confounded_pairs_are_counted_after_the_first():
    generators = tuple(Generator(5 + i, word) for i, word in enumerate((0b11111, 0b111, 0b1011)))
    result = confounding(Layout("fraction", two_step(8), generators))
    assert len(result) <= 25
