"""Effects on further metrics: those of the same metric as the primary one, without verdicts."""

from __future__ import annotations

import pytest
from known_effects import CUBE, log_mean
from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.units import BUILTIN
from steelyard.stats.effects.analysis import effects_beside, factorial

CPU = Analysis(metric="cpu_s")


@pytest.fixture
def both(experiment):
    """A layout of two levels, and samples of two metrics."""
    layout, samples, _ = experiment(2, log_mean, **CUBE)
    cpu = [replace(sample, metric=BUILTIN["cpu_s"]) for sample in samples]
    return replace(layout, kind="two-level"), [*samples, *cpu]


def test_they_are_what_the_metric_would_have_as_the_primary_one_without_tests(both):
    layout, samples = both
    (result,) = effects_beside(samples, layout, [CPU], order="randomized-blocks")
    (primary,) = factorial(samples, layout, CPU)
    assert result.metric.name == "cpu_s"
    assert [(e.factors, e.ratio, e.ci95, e.share) for e in result.effects] == [
        (e.factors, e.ratio, e.ci95, e.share) for e in primary.effects
    ]
    assert {(e.p, e.p_holm, e.resolved, e.ci_family) for e in result.effects} == {(None,) * 4}
    assert (result.conditional, result.contrasts) == ((), ())


def test_a_design_that_compares_has_none(both):
    layout, samples = both
    compared = replace(CPU, baseline={"a": next(iter(CUBE["a"]))})
    assert effects_beside(samples, layout, [compared], order="randomized-blocks") == ()
    assert effects_beside(samples, replace(layout, kind="full"), [CPU], order="randomized-blocks") == ()
    assert effects_beside(samples, None, [CPU], order="randomized-blocks") == ()
