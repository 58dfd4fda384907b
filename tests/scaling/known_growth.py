"""Series whose growth is known."""

from __future__ import annotations

import numpy as np

from steelyard.core.growth import parse_growth
from steelyard.scaling import series_of

P = [16, 32, 64, 128, 256, 512]


def series(values, at=P, name="f", **more):
    rows = [[v] if np.isscalar(v) else list(v) for v in values]
    return series_of(name, ["p"], [[x] for x in at], rows, **more)


def exact(text, at=P, constant=3.0, factor=0.5):
    growth = parse_growth(text)
    return series([constant + factor * growth.at(x) for x in at], at, name=text)


def kinds(answer):
    return {warning.kind for warning in answer.warnings}
