"""Factorial experiments by hand; makes ``known_effects`` importable for the tests beside it."""

from __future__ import annotations

import importlib.util
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from steelyard.core.arrays import Floats
from steelyard.core.factorial import Axis, Generator, Layout
from steelyard.core.factorial.layout import Kind
from steelyard.core.sample import Failures, Sample, Treatment
from steelyard.core.units import BUILTIN, Better, Metric, Scalar

Built = tuple[Layout, list[Sample], Floats]


def lay(
    kind: Kind = "full", generators: tuple[Generator, ...] = (), base: tuple[int, ...] = (), **levels: Any
) -> Layout:
    axes = tuple(Axis(name, tuple({name: level} for level in item)) for name, item in levels.items())
    return Layout(kind, axes, generators, base)


def made(
    layout: Layout,
    values: Iterable[Sequence[float] | Floats],
    *,
    better: Better = "lower",
    blocks: Iterable[int] | None = None,
    contexts: Iterable[int] | None = None,
    failures: Mapping[int, Failures] | None = None,
    labels: Mapping[str, Scalar] | None = None,
    keep: Callable[[Mapping[str, Scalar]], bool] | None = None,
) -> list[Sample]:
    """One sample a cell of the layout, the values of each in a row."""
    metric = BUILTIN["wall_s"] if better == "lower" else Metric("rate", "1/s", "user", better)
    result = []
    for place, (cell, row) in enumerate(zip(layout.cells(), values, strict=True)):
        if keep is not None and not keep(cell):
            continue
        n = len(row)
        result.append(
            Sample(
                metric=metric,
                treatment=Treatment(place + 1, str(cell), cell),
                values=array("d", map(float, row)),
                blocks=array("q", blocks if blocks is not None else range(1, n + 1)),
                passes=array("q", [1] * n),
                contexts=array("q", contexts if contexts is not None else [0] * n),
                trials=array("q", range(1, n + 1)),
                labels=labels or {},
                failures=(failures or {}).get(place + 1, Failures(n, 0, 0)),
            )
        )
    return result


def drawn(
    rng: np.random.Generator,
    layout: Layout,
    log_mean: Callable[[Mapping[str, Scalar]], float],
    *,
    blocks: int = 12,
    spread: float = 0.05,
) -> list[Floats]:
    """Log-normal values about ``log_mean`` of each cell, with a drift that blocks share."""
    drift = rng.normal(0, 0.3, blocks)
    return [
        np.exp(log_mean(cell) + drift + rng.normal(0, spread * (1 + place % 3), blocks))
        for place, cell in enumerate(layout.cells())
    ]


sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def layout() -> Callable[..., Layout]:
    return lay


@pytest.fixture(scope="session")
def samples() -> Callable[..., list[Sample]]:
    return made


@pytest.fixture(scope="session")
def experiment() -> Callable[..., Built]:
    """A layout, and its samples under a model of the logarithm."""

    def build(
        seed: int,
        log_mean: Callable[[Mapping[str, Scalar]], float],
        *,
        blocks: int = 12,
        better: Better = "lower",
        **given: Any,
    ) -> Built:
        result = lay(**given)
        values = drawn(np.random.default_rng(seed), result, log_mean, blocks=blocks)
        return result, made(result, values, better=better), np.array(values)

    return build


@pytest.fixture(scope="session")
def simulation() -> ModuleType:
    path = Path(__file__).parents[3] / "benchmarks" / "coverage" / "factorial.py"
    spec = importlib.util.spec_from_file_location("coverage_of_factorial", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
