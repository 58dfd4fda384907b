"""``Profile``: how a treatment's metric changes from context to context."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from steelyard.core.sample import Sample
from steelyard.core.units import Scalar
from steelyard.results.contexts import AtContext, Profile
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG, Undefined
from steelyard.stats.contexts.visits import visits
from steelyard.stats.distributions.student import t_quantile


def profile(sample: Sample, settings: Mapping[int, Mapping[str, Scalar]]) -> Profile | Undefined:
    """Return the contexts of a treatment.

    Each pass is centred on its own mean first, so that a machine that is slower in one pass moves no context.
    """
    visits_of = visits(sample)
    if isinstance(visits_of, Undefined):
        return visits_of
    _, pass_of = np.unique(visits_of.passes, return_inverse=True)
    values = visits_of.values - (np.bincount(pass_of, visits_of.values) / np.bincount(pass_of))[pass_of]
    ids, place, counts = np.unique(visits_of.contexts, return_inverse=True, return_counts=True)
    if ids.size < 2 or not ids.all():
        return Undefined("one_context")
    means = np.bincount(place, values) / counts
    nu = values.size - ids.size - (int(pass_of.max()) if values.size > ids.size else 0)
    within = values - means[place]
    s = math.sqrt(float(within @ within) / nu) if nu > 0 else None
    return Profile(
        sample.treatment,
        sample.metric,
        tuple(
            AtContext(
                int(context),
                settings.get(int(context), {}),
                int(count),
                math.exp(float(mean)),
                _compute_interval(float(mean), s, int(count), nu),
            )
            for context, mean, count in zip(ids, means, counts, strict=True)
        ),
    )


def _compute_interval(mean: float, s: float | None, count: int, nu: int) -> Interval | None:
    if s is None:
        return None
    half = t_quantile(nu, 0.05) * s / math.sqrt(count)
    if abs(mean) + half > LARGEST_LOG:
        return None
    return Interval(math.exp(mean - half), math.exp(mean + half))
