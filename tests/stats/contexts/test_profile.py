"""One treatment by contexts; the analysis of variance of statsmodels is the witness."""

from __future__ import annotations

import math
from array import array

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from statsmodels.formula.api import ols

from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Metric
from steelyard.results.undefined import Undefined
from steelyard.stats.contexts.profile import profile


def sample(logs) -> Sample:
    """Contexts x passes, visited pass by pass."""
    contexts, passes = logs.shape
    order = [(c, p) for p in range(passes) for c in range(contexts)]
    n = len(order)
    return Sample(
        Metric("wall_s", "s"),
        Treatment(1, "a", {}),
        array("d", [math.exp(logs[c, p]) for c, p in order]),
        array("q", range(1, n + 1)),
        array("q", [p + 1 for _, p in order]),
        array("q", [c + 1 for c, _ in order]),
        array("q", range(1, n + 1)),
    )


def test_changes_and_intervals_are_those_of_a_two_way_layout_without_interaction():
    draw = np.random.default_rng(4)
    logs = draw.normal(0, 0.05, (8, 1)) + draw.normal(0, 0.01, (8, 3)) + np.array([0.0, 0.5, -0.2])
    settings = {c: {"env_bytes": 16 * c} for c in range(1, 9)}
    result = sample(logs)
    answer = profile(result, settings)
    assert (answer.treatment, answer.metric) == (result.treatment, result.metric)
    rows, passes = np.indices(logs.shape)
    data = pd.DataFrame({"y": logs.ravel(), "c": rows.ravel(), "p": passes.ravel()})
    fitted = ols("y ~ C(c) + C(p)", data).fit()
    half = t.ppf(0.975, fitted.df_resid) * math.sqrt(fitted.mse_resid / 3)
    expected = logs.mean(axis=1) - logs.mean()
    assert [math.log(at.ratio) for at in answer.at] == pytest.approx(expected.tolist())
    assert [math.log(at.interval.high / at.ratio) for at in answer.at] == pytest.approx([half] * 8)
    assert [at.settings["env_bytes"] for at in answer.at] == [16 * c for c in range(1, 9)]


def test_contexts_that_were_visited_once_have_no_interval_and_one_context_no_profile():
    once = profile(sample(np.array([[0.1], [0.2], [0.3]])), {})
    assert [at.interval for at in once.at] == [None, None, None]
    assert [math.log(at.ratio) for at in once.at] == pytest.approx([-0.1, 0.0, 0.1])
    assert isinstance(profile(sample(np.array([[0.1, 0.2]])), {}), Undefined)
