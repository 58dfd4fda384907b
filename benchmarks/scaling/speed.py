"""How long modelling takes: the search alone, and everything from a file to printed text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import truths

from steelyard.scaling import Question, model_all, series_of
from steelyard.scaling.aggregate import aggregate
from steelyard.scaling.candidates import one_parameter, several_parameters
from steelyard.scaling.posterior import search
from steelyard.scaling.spaces import coarse_space, dense_space

BATCH = 1000
REPEATS = 5


def search_seconds(rng: np.random.Generator) -> float:
    """Search of one function of one parameter: least of some repetitions, a batch of 1,000, one core."""
    functions = truths.accuracy_set(rng, 20, 300)
    truth = np.array([f.over(truths.POINTS[:, None]) for f in functions])
    data = aggregate(truths.measured(rng, truth, 0.1, "multiplicative"))
    candidates = one_parameter(truths.POINTS[:, None], dense_space())
    return _least(lambda: search(candidates, data.value, data.u2, data.law, data.freedom)) / len(functions)


def search_two_seconds(rng: np.random.Generator, points: np.ndarray) -> float:
    """The same for two parameters."""
    functions = [truths.two_parameters(rng, truths.STRUCTURES[i % 3]) for i in range(BATCH // 4)]
    truth = np.array([f.over(points) for f in functions])
    data = aggregate(truths.measured(rng, truth, 0.1, "multiplicative"))
    candidates = several_parameters(points, [coarse_space(), coarse_space()])
    return _least(lambda: search(candidates, data.value, data.u2, data.law, data.freedom)) / len(functions)


def _least(work: object) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        work()  # type: ignore[operator]
        best = min(best, time.process_time() - start)
    return best


def many_seconds(rng: np.random.Generator, count: int) -> float:
    """All of ``model_all`` for many functions, series in and models out, threads of this machine."""
    functions = truths.accuracy_set(rng, 20, 300)
    truth = np.array([f.over(truths.POINTS[:, None]) for f in functions])
    values = truths.measured(rng, truth, 0.05, "multiplicative").tolist()
    points = truths.POINTS[:, None].tolist()
    series = [series_of(str(i), ["p"], points, values[i % len(values)]) for i in range(count)]
    start = time.perf_counter()
    model_all(series, Question(threads=os.cpu_count() or 1))
    return time.perf_counter() - start


def file_seconds(rng: np.random.Generator, paths: int = 868) -> float:
    """``steelyard model FILE`` on call paths × 2 metrics: process start to exit."""
    functions = [truths.share_uniform(rng) for _ in range(2 * paths)]
    truth = np.array([f.over(truths.POINTS[:, None]) for f in functions])
    values = truths.measured(rng, truth, 0.03, "multiplicative").tolist()
    measurements = {}
    for i in range(paths):
        measurements[f"main->step{i % 40}->f{i}"] = {
            metric: [
                {"point": [p], "values": row}
                for p, row in zip(truths.POINTS.tolist(), values[2 * i + k], strict=True)
            ]
            for k, metric in enumerate(("time", "bytes"))
        }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.json"
        path.write_text(json.dumps({"parameters": ["p"], "measurements": measurements}), encoding="utf-8")
        best = float("inf")
        for _ in range(3):
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "steelyard", "model", str(path)], check=True, stdout=subprocess.DEVNULL
            )
            best = min(best, time.perf_counter() - start)
    return best
