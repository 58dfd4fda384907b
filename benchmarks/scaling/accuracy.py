"""How often the leading term is found, beside Extra-P on the same data."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path

import extra_p
import numpy as np
import truths
from modelled import models_of

from steelyard.scaling import Question, model_all, series_of

ROWS = (
    ("no noise", 0.0, "multiplicative"),
    ("2 %", 0.02, "multiplicative"),
    ("5 %", 0.05, "multiplicative"),
    ("10 %", 0.10, "multiplicative"),
    ("20 %", 0.20, "multiplicative"),
    ("additive 10 %", 0.10, "additive"),
    ("spikes", 0.02, "spikes"),
    ("off the grid, 5 %", 0.05, "multiplicative"),
)
TARGET = truths.LARGEST * 16


@dataclass(frozen=True, slots=True)
class Score:
    """Shares in per cent; ``se`` is the standard error of ``exact``."""

    exact: float
    se: float
    near: float
    error: float
    constants: float
    seconds: float


def score(
    leads: list[tuple[float, float]], values: np.ndarray, functions: list[truths.Truth], seconds: float
) -> Score:
    """Against the truth: exact power and log, power within ¼, median relative error at 16 times the range."""
    exact, near, kept = [], [], []
    for (power, log), function in zip(leads, functions, strict=True):
        lead = function.lead[0]
        right = abs(power - float(lead.power)) < 1e-3 and abs(log - float(lead.log)) < 1e-3
        exact.append(right)
        near.append(abs(power - float(lead.power)) < 0.2501)
        if lead.is_constant:
            kept.append(right)
    true = np.array([function.at(TARGET) for function in functions])
    share = float(np.mean(exact))
    return Score(
        100 * share,
        100 * math.sqrt(max(share * (1 - share), 1e-4) / len(exact)),
        100 * float(np.mean(near)),
        100 * float(np.median(np.abs(values / true - 1))),
        100 * float(np.mean(kept)) if kept else math.nan,
        seconds,
    )


def ours(values: np.ndarray, functions: list[truths.Truth]) -> Score:
    """Steelyard with everything at its default."""
    points = truths.POINTS[:, None].tolist()
    series = [series_of(f"f{i}", ["p"], points, rows.tolist()) for i, rows in enumerate(values)]
    start = time.process_time()
    models = models_of(model_all(series, Question(targets=({"p": TARGET},))))
    seconds = (time.process_time() - start) / len(series)
    leads = [(float(m.lead[0].power), float(m.lead[0].log)) for m in models]
    predicted = np.array([m.predictions[0].value for m in models])
    return score(leads, predicted, functions, seconds)


def theirs(python: Path, values: np.ndarray, functions: list[truths.Truth], measure: str) -> Score:
    """Extra-P with its defaults, or its minimum of repetitions."""
    models, seconds = extra_p.run(python, truths.POINTS[:, None], values, np.array([[TARGET]]), measure)
    leads = [m.exponents[0] for m in models]
    return score(leads, np.array([m.predictions[0] for m in models]), functions, seconds)


def table(
    python: Path | None, rng: np.random.Generator, each: int, constants: int
) -> list[tuple[str, str, Score]]:
    """(row, tool, score) for every row."""
    out = []
    for name, noise, kind in ROWS:
        if name.startswith("off"):
            functions = [truths.off_grid(rng) for _ in range(35 * each)]
        else:
            functions = truths.accuracy_set(rng, each, constants)
        truth = np.array([function.over(truths.POINTS[:, None]) for function in functions])
        values = truths.measured(rng, truth, noise, kind)
        out.append((name, "Steelyard", ours(values, functions)))
        if python is not None:
            out.append((name, "Extra-P", theirs(python, values, functions, "mean")))
            if kind == "spikes":
                out.append((name, "Extra-P, minimum", theirs(python, values, functions, "minimum")))
    return out


P_VALUES = 2.0 ** np.arange(4, 9)
Q_VALUES = np.array([10.0, 20.0, 40.0, 80.0, 160.0])


def two_parameter_table(python: Path | None, rng: np.random.Generator, count: int) -> list[str]:
    """Both leading terms exact, 5 × 5 points, 10 % noise."""
    points = np.array([(p, q) for p in P_VALUES for q in Q_VALUES])
    largest = (float(P_VALUES[-1]), float(Q_VALUES[-1]))
    lines = []
    totals: dict[str, list[bool]] = {}
    for structure in truths.STRUCTURES:
        functions = [truths.two_parameters(rng, structure) for _ in range(count)]
        truth = np.array([function.over(points) for function in functions])
        values = truths.measured(rng, truth, 0.1, "multiplicative")
        series = [
            series_of(f"f{i}", ["p", "q"], points.tolist(), rows.tolist()) for i, rows in enumerate(values)
        ]
        model_all(series[:1])
        start = time.process_time()
        models = models_of(model_all(series))
        seconds = (time.process_time() - start) / count
        right = {"Steelyard": [m.lead == f.lead for m, f in zip(models, functions, strict=True)]}
        spent = {"Steelyard": seconds}
        if python is not None:
            peers, spent["Extra-P"] = extra_p.run(
                python, points, values, np.array([[largest[0], largest[1]]])
            )
            right["Extra-P"] = [
                all(
                    abs(e[0] - float(g.power)) < 1e-3 and abs(e[1] - float(g.log)) < 1e-3
                    for e, g in zip(peer.exponents, f.lead, strict=True)
                )
                for peer, f in zip(peers, functions, strict=True)
            ]
        for tool, hits in right.items():
            totals.setdefault(tool, []).extend(hits)
            se = 100 * math.sqrt(max(np.mean(hits) * (1 - np.mean(hits)), 1e-4) / count)
            share = f"exact {100 * np.mean(hits):5.1f} % (s.e. {se:.1f})"
            row = f"two parameters, {structure:<15} {tool:<10} {share}"
            lines.append(f"{row}  {1e3 * spent[tool]:8.3f} ms a function")
    for tool, hits in totals.items():
        lines.append(
            f"two parameters, all             {tool:<10} both terms exact {100 * np.mean(hits):5.1f} %"
        )
    return lines
