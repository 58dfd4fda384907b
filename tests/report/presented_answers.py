"""Answers to present, and golden files: ``STEELYARD_REFRESH_GOLDEN=1 pytest tests/report`` writes them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from answers import contexts, factors, oddities, pairs, strata

from steelyard.results.analysis import Answer

GOLDEN = Path(__file__).parent / "golden"

CASES = (
    pairs.a_difference,
    pairs.a_ratio_of_means_by_fieller,
    pairs.a_median_of_ratios,
    pairs.an_uncertainty_budget,
    pairs.no_difference,
    pairs.a_slowdown_beside_other_metrics,
    pairs.all_pairs_with_a_margin,
    pairs.one_after_the_other,
    pairs.long_names,
    pairs.many_treatments,
    pairs.many_differences,
    pairs.a_skewed_sample,
    pairs.rates,
    pairs.memory,
    contexts.contexts_in_passes,
    contexts.a_context_for_each_block,
    contexts.a_rare_slow_context,
    strata.a_ratio_of_speedups,
    strata.problem_instances,
    strata.strata_and_labels,
    factors.two_levels_of_three_factors,
    factors.three_levels_and_a_contrast,
    factors.half_a_fraction,
    factors.a_screening,
    factors.factors_in_one_block,
    factors.metrics_beside_effects,
    oddities.failing_runs,
    oddities.one_treatment,
    oddities.one_run,
    oddities.zeros,
    oddities.hostile_names,
    oddities.a_run_that_was_cut_short,
    oddities.everything_odd,
)
BY_THE_PROTOCOL = (
    strata.many_programs_by_the_protocol,
    factors.factors_with_the_same_levels_by_the_protocol,
    oddities.the_protocol_on_odd_samples,
)

NEEDED = pytest.mark.extensions("protocol_2014")


@cache
def answered(case: Callable[[], Answer]) -> Answer:
    """Answers are frozen, so that all tests may have the same one."""
    return case()


@pytest.fixture(
    params=[*CASES, *(pytest.param(case, marks=NEEDED) for case in BY_THE_PROTOCOL)],
    ids=lambda case: case.__name__,
)
def presented(request: pytest.FixtureRequest) -> tuple[str, Answer]:
    """The name of a case, and its answer."""
    return request.param.__name__, answered(request.param)


@pytest.fixture(scope="session")
def case() -> Callable[[str], Answer]:
    """The answer of one case, by name."""
    by_name = {item.__name__: item for item in (*CASES, *BY_THE_PROTOCOL)}
    return lambda name: answered(by_name[name])


@pytest.fixture(scope="session")
def golden() -> Callable[[str, str], None]:
    """Hold a text against its golden file, or write that file where the environment asks for it."""

    def hold(name: str, text: str) -> None:
        path = GOLDEN / name
        if os.environ.get("STEELYARD_REFRESH_GOLDEN") == "1":
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return hold
