"""``RunColumns``: every run of a page, by columns, and the counts that stand for runs where they are many."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from steelyard.core.sample import Sample
from steelyard.report.text.digits import Scale, scale
from steelyard.report.text.label import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from steelyard.core.arrays import Floats
    from steelyard.report.answer.words import Names
    from steelyard.results.portrait import Portrait
    from steelyard.results.samples import Described

    Ints = NDArray[np.int64]

MOST_MARKS: Final = 3000
"""Runs that a chart shows one by one by default; of more it shows counts, and those that are far out."""
MOST_KEPT: Final = 100_000
"""Values that a page holds, some 25 bytes each; of more it holds those that are shown one by one."""
FAR: Final = 0.01
"""Fraction of a sample's runs at each end that are shown one by one all the same."""
ACROSS: Final = 60
"""Cells of a distribution; a third as many in a figure."""
ALONG: Final = 96
DEVIATIONS: Final = 32
"""Cells of the course of an experiment, along time and across deviations; in a figure a third of."""


class RunColumns:
    """Runs in the order of time; equal lengths.

    Attributes
    ----------
    names : tuple of str
        Of the samples, which ``sample`` counts from 0.
    medians : array
        Of each sample.
    scale : Scale
        Unit and prefix in which values are shown.
    trial, sample, block, context : array of int64
    value : array
        In the unit of the metric.
    waited : Mapping[int, float]
        Trial to the fraction of its time that it waited for a CPU, of those that were disturbed.
    """

    def __init__(self, portrait: Portrait, called: Names, most: int = MOST_MARKS) -> None:
        self.most, self.coarser = most, 1 if most >= MOST_MARKS else 3
        samples = [sample for sample in portrait.samples if len(sample)]
        self.treatments = tuple(sample.treatment.label for sample in samples)
        self.names = tuple(described_name(sample, called) for sample in samples)
        self.medians: Floats = np.array([float(np.median(_compute_floats(sample))) for sample in samples])

        def join_columns(name: str) -> Ints:
            parts = [np.frombuffer(getattr(sample, name), np.int64) for sample in samples]
            return np.concatenate([*parts, np.empty(0, np.int64)]).astype(np.int64)

        trial = join_columns("trials")
        order = np.argsort(trial, kind="stable")
        self.trial = trial[order]
        self.block = join_columns("blocks")[order]
        self.context = join_columns("contexts")[order]
        lengths = np.array([len(sample) for sample in samples], np.int64)
        self.sample: Ints = np.repeat(np.arange(len(samples)), lengths)[order]
        self.value: Floats = np.concatenate([*map(_compute_floats, samples), np.empty(0)])[order]
        self.waited: Mapping[int, float] = {trial.trial: trial.waited for trial in portrait.disturbed}
        largest = float(np.abs(self.value).max()) if len(self.value) else 0.0
        self.scale: Scale = scale([largest], [], samples[0].metric.unit if samples else "")

    def __len__(self) -> int:
        return len(self.value)

    @property
    def many(self) -> bool:
        """Whether charts show counts."""
        return len(self) > self.most

    @property
    def complete(self) -> bool:
        """Whether the page holds every value."""
        return len(self) <= MOST_KEPT

    @property
    def places(self) -> Ints:
        """Places of the runs that the page holds, ascending."""
        return np.arange(len(self)) if self.complete else np.flatnonzero(self.select_far())

    @property
    def disturbed(self) -> NDArray[np.bool_]:
        """Which runs waited for a CPU."""
        return np.isin(self.trial, np.fromiter(self.waited, np.int64))

    @property
    def wide(self) -> bool:
        """Whether values differ so much that only logarithms show all of them."""
        low, high = float(self.value.min()), float(self.value.max())
        return 0 < 15 * low < high

    def deviation(self) -> Floats:
        """How far each run is from the median of its sample, in percent; 0 where that is 0."""
        medians = self.medians[self.sample] if len(self) else np.empty(0)
        safe = np.where(medians == 0, 1.0, medians)
        return np.where(medians == 0, 0.0, 100 * (self.value / safe - 1))

    def select_far(self) -> NDArray[np.bool_]:
        """Return the runs to show one by one: all, or the ends of their samples and those disturbed."""
        if not self.many:
            return np.ones(len(self), bool)
        chosen = self.disturbed
        for number in range(len(self.names)):
            values = self.value[self.sample == number]
            low, high = np.quantile(values, [FAR, 1 - FAR])
            chosen |= (self.sample == number) & ((self.value < low) | (self.value > high))
        if chosen.sum() > self.most:  # many samples, or disturbed all the time: the farthest of them
            distance = np.where(chosen, np.abs(self.deviation()), -1.0)
            chosen &= distance >= np.partition(distance, -self.most)[-self.most]
        return chosen

    def rows(self) -> list[dict[str, Any]]:
        """Return the runs that are shown one by one, as a chart takes them; ``at`` is that in ``pack``."""
        deviations, far = self.deviation(), np.flatnonzero(self.select_far())
        return [
            {
                "at": int(place),
                "run": int(self.trial[i]),
                "block": int(self.block[i]),
                "context": int(self.context[i]),
                "name": self.names[self.sample[i]],
                "treatment": self.treatments[self.sample[i]],
                "value": float(self.value[i]),
                "deviation": float(deviations[i]),
                "waited": self.waited.get(int(self.trial[i])),
            }
            for place, i in zip(np.searchsorted(self.places, far), far, strict=True)
        ]

    def spread(self) -> list[dict[str, Any]]:
        """Count values of each sample among the runs that are not shown one by one."""
        near = ~self.select_far()
        if not near.any():
            return []
        low, high = self.value[near].min(), self.value[near].max()
        edges = _compute_edges(low, high, ACROSS // self.coarser, logarithmic=self.wide)
        points = []
        for number, name in enumerate(self.names):
            counts, _ = np.histogram(self.value[near & (self.sample == number)], edges)
            points += [
                {
                    "name": name,
                    "treatment": self.treatments[number],
                    "low": round_for_screen(edges[i]),
                    "high": round_for_screen(edges[i + 1]),
                    "count": int(counts[i]),
                    "share": round_for_screen(counts[i] / counts.max()),
                }
                for i in np.flatnonzero(counts)
            ]
        return points

    def course(self) -> list[dict[str, Any]]:
        """Return the same counts of all samples together, by place in time and deviation."""
        near = ~self.select_far()
        if not near.any():
            return []
        deviations = self.deviation()[near]
        when = _compute_edges(float(self.trial[0]), float(self.trial[-1]), ALONG // self.coarser)
        how = _compute_edges(deviations.min(), deviations.max(), DEVIATIONS // self.coarser)
        counts, _, _ = np.histogram2d(self.trial[near], deviations, (when, how))
        return [
            {
                "from": round_for_screen(when[i]),
                "to": round_for_screen(when[i + 1]),
                "low": round_for_screen(how[j]),
                "high": round_for_screen(how[j + 1]),
                "count": int(counts[i, j]),
                "share": round_for_screen(counts[i, j] / counts.max()),
            }
            for i, j in np.argwhere(counts > 0).tolist()
        ]

    def pack(self) -> dict[str, Any]:
        """Return the columns of the runs that the page holds, each value once.

        Whole numbers are in as few bytes as they need, ascending ones by their differences.
        """
        places = self.places
        trial = self.trial[places]
        numbers = frozenset(trial.tolist())
        return {
            "names": self.names,
            "treatments": self.treatments,
            "medians": self.medians.tolist(),
            "value": {"type": "Float64Array", "data": _format_text(self.value[places])},
            "sample": _pack(self.sample[places]),
            "trial": _pack_ascending(trial),
            "block": _pack_ascending(self.block[places]),
            **({"context": _pack(self.context[places])} if np.any(self.context) else {}),
            "waited": [
                [number, round(share, 4)] for number, share in self.waited.items() if number in numbers
            ],
            "factor": self.scale.factor,
            "unit": self.scale.unit,
            "far": _pack(np.searchsorted(places, np.flatnonzero(self.select_far()))),
        }


def described_name(sample: Sample | Described, called: Names) -> str:
    """Return the treatment by its short name, with what the program put on its values."""
    labels = [f"{printable(name)}={printable(str(level))}" for name, level in sample.labels.items()]
    label = sample.treatment.label
    return ", ".join([called.get(label) or printable(label), *labels])


def _compute_edges(low: float, high: float, cells: int, *, logarithmic: bool = False) -> Floats:
    """Bounds of cells that hold everything from ``low`` to ``high``."""
    if low == high:
        return np.array([low, low + (abs(low) * 1e-6 or 1e-9)])
    edges: Floats = (np.geomspace if logarithmic else np.linspace)(low, high, cells + 1)
    edges[0], edges[-1] = low, high
    return edges


def round_for_screen(value: float) -> float:
    """Six digits, which no screen shows more of: half of the bytes of a page that has many cells."""
    return float(f"{value:.6g}")


def _compute_floats(sample: Sample) -> Floats:
    return np.frombuffer(sample.values, np.float64)


_TYPES: Final[Sequence[tuple[str, str]]] = (
    ("Uint8Array", "<u1"),
    ("Uint16Array", "<u2"),
    ("Uint32Array", "<u4"),
)


def _pack(column: Ints) -> dict[str, Any]:
    """Return a column in the smallest type that holds it; as plain numbers where none does (below 0)."""
    low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
    for name, dtype in _TYPES:
        if low >= 0 and high <= np.iinfo(dtype).max:
            return {"type": name, "data": _format_text(column.astype(dtype))}
    return {"type": "Float64Array", "data": _format_text(column.astype("<f8"))}


def _pack_ascending(column: Ints) -> dict[str, Any]:
    """Return a column by its differences; where these are equal, by the first of it and the step."""
    steps = np.diff(column)
    if len(steps) and (steps == steps[0]).all():
        return {"first": int(column[0]), "step": int(steps[0]), "count": len(column)}
    return _pack(np.diff(column, prepend=0)) | {"differences": True}


def _format_text(column: NDArray[Any]) -> str:
    return base64.b64encode(column.tobytes()).decode()
