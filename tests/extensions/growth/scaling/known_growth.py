"""Series whose growth is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from steelyard.extensions.growth.algebra import parse_growth
from steelyard.extensions.growth.scaling import ScalingModel, Series, series_of

P = [16, 32, 64, 128, 256, 512]


def series(
    values: Iterable[float | Sequence[float]], at: Sequence[float] = P, name: str = "f", **options: Any
) -> Series:
    rows = [list(v) if isinstance(v, Sequence | np.ndarray) else [v] for v in values]
    return series_of(name, ["p"], [[x] for x in at], rows, **options)


def exact(text: str, at: Sequence[float] = P, constant: float = 3.0, factor: float = 0.5) -> Series:
    growth = parse_growth(text)
    return series([constant + factor * growth.at(x) for x in at], at, name=text)


def kinds(answer: ScalingModel) -> set[str]:
    return {warning.kind for warning in answer.warnings}
