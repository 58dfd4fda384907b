"""Search spaces: the ruler of Shudler et al. 2019 tick by tick, and what the default adds to it."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.growth.algebra import Growth, parse_growth
from steelyard.extensions.growth.scaling import spaces


def texts(space):
    return [term.text("p") for term in space.terms]


def test_the_ruler_of_a_linear_expectation_is_the_published_one():
    # § 2.3: {1, log p, p^¼, p^¼ log p, p^½, …, p, p log p, …, p^7/4 log p, p²}; the constant is always a
    # candidate.
    expected = ["log p"]
    for power in ("p^0.25", "p^0.5", "p^0.75", "p", "p^1.25", "p^1.5", "p^1.75"):
        expected += [power, f"{power} log p"]
    assert texts(spaces.seed001_space(Growth.make(1))) == [*expected, "p^2"]


def test_the_ruler_alone_has_the_known_holes():
    assert spaces.seed001_space(Growth()).terms == ()
    cubic_exponential = parse_growth("p^3 2^p")
    assert cubic_exponential not in spaces.seed001_space(cubic_exponential).terms
    assert all(term.power == 0 for term in spaces.seed001_space(Growth.make(0, 1)).terms)


@pytest.mark.parametrize("text", ["1", "log p", "p^0.43 log p", "p^3 2^p", "p^4 2^(2*p)", "1/p", "p^2.8074"])
def test_the_default_space_contains_the_expectation(text):
    growth = parse_growth(text)
    assert growth.is_constant or growth in spaces.default_space(growth).terms


def test_one_more_halving_doubles_the_ticks():
    coarse = [t for t in spaces.seed001_space(Growth.make(1), halvings=2).terms if not t.log]
    fine = [t for t in spaces.seed001_space(Growth.make(1), halvings=3).terms if not t.log]
    assert len(fine) == 2 * len(coarse)
    assert Growth.make("1/8") in fine


def test_the_space_of_the_study_is_that_of_p_log_p():
    study = spaces.mpi_study_space()
    assert Growth.make("5/3", 1) in study.terms
    assert Growth.make("1/4") in study.terms
    assert max(term.power for term in study.terms) == 2
    # Table 6 needs log² and p^2.75, which that space lacks.
    assert {Growth.make("11/4"), Growth.make("3/4", 2)} <= set(spaces.wide_space().terms) - set(study.terms)


def test_simple_exponents_are_more_plausible():
    weight = spaces.prior_weight
    assert (
        weight(Growth.make("1/2"))
        > weight(Growth.make("1/3"))
        > weight(Growth.make("5/6"))
        > weight(Growth.make("5/12"))
    )
    assert weight(Growth.make(1)) > weight(Growth.make(1, 1)) > weight(Growth.make(1, 2))


def test_falling_spaces_only_fall():
    assert all(term < Growth() for term in spaces.falling_space().terms)
    assert Growth.make(-1) in spaces.falling_space(coarse=True).terms


def test_a_space_of_the_user_needs_a_growing_term():
    assert texts(spaces.user_space(["log p", "p^0.3"], "p")) == ["log p", "p^0.3"]
    with pytest.raises(UsageError, match="no growing term"):
        spaces.user_space(["1"], "p")


def test_a_union_keeps_the_larger_weight():
    both = spaces.union("both", spaces.dense_space(), spaces.exponential_space())
    assert set(both.terms) == set(spaces.dense_space().terms) | set(spaces.exponential_space().terms)
    assert list(both.terms) == sorted(both.terms)
