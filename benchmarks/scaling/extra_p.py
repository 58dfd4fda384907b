"""Extra-P in an environment of its own: made once, beside the benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from steelyard.extensions.growth.algebra import Growth

VERSION = "4.2.5"
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class PeerModel:
    """What Extra-P found: exponents (power, log) of each parameter, the largest over its terms."""

    exponents: tuple[tuple[float, float], ...]
    predictions: tuple[float, ...]


def lead_of(model: PeerModel) -> tuple[Growth, ...]:
    """Its exponents as growths."""
    return tuple(
        Growth(Fraction(power).limit_denominator(24), Fraction(log).limit_denominator(4))
        for power, log in model.exponents
    )


def environment(directory: Path) -> Path:
    """The interpreter of an environment with Extra-P, made where it is missing."""
    python = directory / "bin" / "python"
    if not python.exists():
        print(f"making an environment with Extra-P {VERSION} in {directory}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", f"extrap=={VERSION}"], check=True)
    return python


def run(
    python: Path, points: np.ndarray, values: np.ndarray, targets: np.ndarray, measure: str = "mean"
) -> tuple[list[PeerModel], float]:
    """Models and seconds a function."""
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder) / "in.npz", Path(folder) / "out.json"
        np.savez(data, points=points, values=values, targets=targets, measure=measure)
        subprocess.run([str(python), str(HERE / "peer.py"), str(data), str(out)], check=True)
        answer = json.loads(out.read_text(encoding="utf-8"))
    models = []
    for model in answer["models"]:
        exponents = []
        for at in range(points.shape[1]):
            result = [tuple(term[str(at)]) for term in model["terms"] if str(at) in term]
            exponents.append(max(result, default=(0.0, 0.0)))
        models.append(PeerModel(tuple(exponents), tuple(model["predictions"])))
    return models, answer["seconds"] / len(values)
