"""How long modelling takes: the search alone, everything from series to models, and a whole command."""

from __future__ import annotations

import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import families
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.scaling import Question, model_all, series_of
from steelyard.extensions.growth.scaling.aggregate import aggregate
from steelyard.extensions.growth.scaling.candidates import one_parameter, several_parameters
from steelyard.extensions.growth.scaling.posterior import search
from steelyard.extensions.growth.scaling.spaces import coarse_space, default_space

BATCH = 1000
REPEATS = 5
POINTS = families.points_of(6)


def _values(rng: np.random.Generator, noise: float, count: int = BATCH) -> Floats:
    """One function in four is constant."""
    series = [(families.one_term if i % 4 else families.constant)(rng, POINTS) for i in range(count)]
    return families.measured(rng, np.array([item.over(POINTS) for item in series]), noise)


def search_seconds(rng: np.random.Generator) -> float:
    """Search of one function of one parameter: least of some repetitions, a batch of 1,000, one core."""
    data = aggregate(_values(rng, 0.1))
    candidates = one_parameter(POINTS, default_space())
    return _least(lambda: search(candidates, data.value, data.u2, data.law, data.freedom)) / BATCH


def search_two_seconds(rng: np.random.Generator) -> float:
    """The same for two parameters, 5 × 5 points."""
    points = np.array(list(itertools.product(2.0 ** np.arange(4, 9), (10.0, 20, 40, 80, 160))))
    series = [families.two_parameters(rng, points) for _ in range(BATCH // 4)]
    data = aggregate(families.measured(rng, np.array([item.over(points) for item in series]), 0.1))
    candidates = several_parameters(points, [coarse_space(), coarse_space()])
    return _least(lambda: search(candidates, data.value, data.u2, data.law, data.freedom)) / len(series)


def _least(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def many_seconds(rng: np.random.Generator, count: int) -> tuple[float, float]:
    """All of ``model_all`` with an interval each, threads of this machine: wall and CPU."""
    values = _values(rng, 0.05).tolist()
    points = POINTS.tolist()
    series = [series_of(str(i), ["p"], points, values[i % BATCH]) for i in range(count)]
    question = Question(threads=os.cpu_count() or 1, targets=({"p": 4 * float(POINTS.max())},))
    wall, cpu = time.perf_counter(), time.process_time()
    model_all(series, question)
    return time.perf_counter() - wall, time.process_time() - cpu


def file_seconds(rng: np.random.Generator, paths: int = 868) -> tuple[float, float]:
    """``steelyard model FILE`` on call paths × 2 metrics, process start to exit: the least wall and CPU."""
    values = _values(rng, 0.03, 2 * paths).tolist()
    measurements = {
        f"main->step{i % 40}->f{i}": {
            metric: [
                {"point": [p], "values": row}
                for p, row in zip(POINTS[:, 0].tolist(), values[2 * i + k], strict=True)
            ]
            for k, metric in enumerate(("time", "bytes"))
        }
        for i in range(paths)
    }
    result = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.json"
        path.write_text(json.dumps({"parameters": ["p"], "measurements": measurements}), encoding="utf-8")
        for _ in range(3):
            wall, cpu = time.perf_counter(), _children()
            command = [sys.executable, "-m", "steelyard", "model", str(path)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            result.append((time.perf_counter() - wall, _children() - cpu))
    return min(wall for wall, _ in result), min(cpu for _, cpu in result)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
