"""The uncertainty of a mean over machines, or contexts, that return."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats as witness

from steelyard.stats.describe.described import describe


def test_the_mean_over_machines_has_the_uncertainty_of_clusters(sample):
    """Clustered standard errors of statsmodels, which correct for few clusters and n - 1 of n values."""
    rng = np.random.default_rng(1)
    contexts = np.repeat([1, 2, 3, 4], [4, 12, 6, 8])
    values = 1 + 0.3 * rng.normal(size=4)[contexts - 1] + 0.01 * rng.normal(size=30)
    summary = describe(sample(values, contexts=contexts)).summary
    fit = sm.OLS(values, np.ones(30)).fit(cov_type="cluster", cov_kwds={"groups": contexts})
    assert summary.u == pytest.approx(float(fit.bse[0]), rel=1e-9)
    assert summary.rsu == pytest.approx(summary.u / values.mean())
    assert summary.s == pytest.approx(values.std(ddof=1))


def test_machines_of_equally_many_runs_have_the_standard_error_of_their_means(sample):
    values = np.repeat([1.0, 1.2, 1.5], 5) + np.tile([-0.01, 0.0, 0.0, 0.0, 0.01], 3)
    summary = describe(sample(values, contexts=np.repeat([1, 2, 3], 5))).summary
    assert summary.u == pytest.approx(witness.sem([1.0, 1.2, 1.5]))


def test_contexts_that_agree_or_do_not_return_leave_the_error_of_runs(sample):
    values = np.tile([0.9, 1.1], 10)
    alone = describe(sample(values)).summary
    assert alone.u == pytest.approx(witness.sem(values))
    assert describe(sample(values, contexts=np.repeat([1, 2], 10))).summary == alone
    assert describe(sample(values, contexts=range(1, 21))).summary == alone
