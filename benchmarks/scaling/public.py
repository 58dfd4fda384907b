"""Public series held out: one and two points beyond, beside laws of textbooks and Extra-P."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import library
import numpy as np
from msgspec.structs import replace

from steelyard.core.series import Series
from steelyard.extensions.growth.scaling import NotModelled, Question, ScalingModel, model
from steelyard.extensions.growth.scaling.rates import reciprocal
from steelyard.extensions.growth.scaling.strong import amdahl, power_law

PEER = Path(__file__).with_name("peer_beyond.py")
BEYOND = (1, 2)
LEAST_FITTED = 3
PLAIN = 0.03
"""Relative change that makes a fall or a rise."""
KINDS = ("strong", "weak", "mixed")
SETS = ("judging", "calibration")


@dataclass(frozen=True, slots=True)
class Cut:
    """A series without its last points, and the last of those; times, of rates the time of a unit of work."""

    code: str
    kind: str
    fitted: Series
    times: Series
    scale: float
    measured: float


@dataclass(frozen=True, slots=True)
class Row:
    """Errors are medians of |predicted / measured - 1| in per cent.

    Attributes
    ----------
    covered : float
        Per cent of the 95 % intervals that hold what was measured.
    needed : float
        Factor of all half-widths, in logarithms, that holds 95 %: 0.5 is twice as wide as needed.
    """

    count: int
    error: float
    amdahl: float
    power: float
    peer: float | None
    covered: float
    needed: float


def rows(directory: Path, chosen: str, python: Path | None) -> Iterator[tuple[str, int, Row]]:
    """Each kind of series and all of them, one and two points beyond."""
    series = library.read(directory, chosen)
    for beyond in BEYOND:
        cuts = [cut for code, group in series.items() for item in group for cut in _cut(code, item, beyond)]
        peers = {} if python is None else _ask_extra_p(python, cuts)
        judged = [(cut, judgement) for cut in cuts if (judgement := _judge(cut)) is not None]
        for kind in (*KINDS, "all", *series):
            group = [pair for pair in judged if kind in (pair[0].kind, "all", pair[0].code)]
            if group:
                yield kind, beyond, _row(group, peers)


def _cut(code: str, series: Series, beyond: int) -> Iterator[Cut]:
    fitted = replace(series, points=series.points[:-beyond])
    times = reciprocal(fitted) if series.better == "higher" else fitted
    if len(fitted.points) >= LEAST_FITTED and not isinstance(times, NotModelled):
        last = series.points[-1]
        yield Cut(code, _kind(series), fitted, times, last.at[0], float(np.mean(last.values)))


def _kind(series: Series) -> str:
    """Strong where times fall to the end, weak where they never fall, else mixed."""
    means = np.array([np.mean(point.values) for point in series.points])
    means = 1 / means if series.better == "higher" else means
    if means[-1] <= (1 + PLAIN) * means.min() and means[-1] < (1 - PLAIN) * means[0]:
        return "strong"
    return "weak" if means.min() >= (1 - PLAIN) * means[0] else "mixed"


def _judge(cut: Cut) -> tuple[float, float, float] | None:
    """Return the value by the model and its interval."""
    answer = model(cut.fitted, Question(targets=({"p": cut.scale},)))
    if not isinstance(answer, ScalingModel):
        return None
    (prediction,) = answer.predictions
    return prediction.value, prediction.low or 0.0, np.inf if prediction.high is None else prediction.high


def _row(judged: Sequence[tuple[Cut, tuple[float, float, float]]], peers: dict[int, list[float]]) -> Row:
    cuts = [cut for cut, _ in judged]
    measured = np.array([cut.measured for cut in cuts])
    value, low, high = np.array([judgement for _, judgement in judged]).T
    held = (low <= measured * (1 + 1e-9)) & (measured * (1 - 1e-9) <= high)
    with np.errstate(divide="ignore"):
        half = np.where(measured > value, np.log(high / value), np.log(value / np.maximum(low, 0)))
    needed = np.abs(np.log(measured / value)) / np.maximum(half, 1e-300)
    peer = [peers[id(cut)] for cut in cuts if id(cut) in peers]
    return Row(
        len(cuts),
        _median(value / measured),
        _median(np.array([_law(cut, amdahl) / cut.measured for cut in cuts])),
        _median(np.array([_law(cut, power_law) / cut.measured for cut in cuts])),
        min(_median(np.array(setting)) for setting in zip(*peer, strict=True)) if peer else None,
        100 * float(held.mean()),
        float(np.quantile(needed, 0.95)),
    )


def _median(ratios: np.ndarray) -> float:
    return 100 * float(np.median(np.abs(ratios - 1)))


Fit = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def _law(cut: Cut, fit: Fit) -> float:
    """Return the value by the law of a textbook, fitted to times."""
    x = np.array([point.at[0] for point in cut.times.points])
    y = np.array([[np.mean(point.values) for point in cut.times.points]])
    duration = float(fit(x, y, np.array([cut.scale]))[0, 0])
    return 1 / duration if cut.times is not cut.fitted else duration


def _ask_extra_p(python: Path, cuts: Sequence[Cut]) -> dict[int, list[float]]:
    """Return predicted over measured by each setting: of values or times, with or without terms that fall."""
    series = [(cut, item) for cut in cuts for item in (cut.fitted, cut.times)]
    questions = [
        {
            "points": [point.at[0] for point in item.points],
            "values": [float(np.mean(point.values)) for point in item.points],
            "target": cut.scale,
        }
        for cut, item in series
    ]
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder) / "in.json", Path(folder) / "out.json"
        data.write_text(json.dumps(questions), encoding="utf-8")
        subprocess.run([str(python), str(PEER), str(data), str(out)], check=True)
        answers = json.loads(out.read_text(encoding="utf-8"))
    ratios: dict[int, list[float]] = {}
    for (cut, item), values in zip(series, answers, strict=True):
        for value in values:
            rate = 1 / value if value and item is not cut.fitted else value
            ratios.setdefault(id(cut), []).append(np.inf if rate is None else rate / cut.measured)
    return ratios
