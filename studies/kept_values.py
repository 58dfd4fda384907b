"""Values of a study's parts, one file each: ``values/PART.csv``, of which its tables are made again.

A row has the levels of a treatment, the labels of a value where the program put any, the block, where the
spec has contexts the pass, the context and what was drawn for it, and a column for each metric. ``rebuild``
makes a record of it, of the part's own spec.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from steelyard.api import Experiment, KeptBlock, LabelledValue, Record, load, write_values
from steelyard.api.text import Scalar

PLACE: Final = ("block", "pass", "context")
"""Columns that say when a value was measured, and in which context."""
DRAWN: Final = "context: "
"""Begins the names of columns of what was drawn for a context."""


class KeptSample(NamedTuple):
    """The values of a metric, one a block; labels of the program stand among the levels."""

    levels: Mapping[str, Scalar]
    values: Sequence[float]


class KeptValues:
    """What was kept of a record."""

    def __init__(self, rows: Sequence[dict[str, str]]) -> None:
        self.rows = rows
        columns = list(self.rows[0])
        at = columns.index(PLACE[0])
        self.keys = columns[:at]
        self.drawn = [name for name in columns if name.startswith(DRAWN)]
        self.metrics = [name for name in columns[at:] if name not in (*PLACE, *self.drawn)]

    def samples(self, *metrics: str) -> list[KeptSample]:
        """One sample a metric, treatment and labels.

        Raises
        ------
        LookupError
            No such metric was kept.
        """
        result = []
        for metric in metrics:
            if metric not in self.metrics:
                raise LookupError(f"{metric!r} was not kept, only {', '.join(self.metrics)}")
            by_key: dict[tuple[str, ...], list[float]] = {}
            for row in self.rows:
                if row[metric]:
                    by_key.setdefault(tuple(row[key] for key in self.keys), []).append(float(row[metric]))
            for texts, values in by_key.items():
                levels = {key: _parse(text) for key, text in zip(self.keys, texts, strict=True) if text}
                result.append(KeptSample(levels, values))
        return result


def _parse(text: str) -> Scalar:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def find(study: Path, part: str) -> Path:
    """The file of a part, whether it is there or not."""
    return study / "values" / f"{part}.csv"


@cache
def kept(study: Path, part: str) -> KeptValues:
    """What was kept of a part."""
    with find(study, part).open(newline="", encoding="utf-8") as lines:
        return KeptValues(list(csv.DictReader(lines)))


@contextmanager
def rebuilt(
    study: Path,
    part: str,
    experiment: Experiment | None = None,
    rows: Sequence[dict[str, str]] | None = None,
) -> Iterator[Record]:
    """The record that ``rebuild`` makes, for as long as it is looked at."""
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place) / f"{part}.lab"
        rebuild(study, part, directory, experiment, rows)
        with Record.open(directory) as record:
            yield record


def rebuild(
    study: Path,
    part: str,
    directory: Path,
    experiment: Experiment | None = None,
    rows: Sequence[dict[str, str]] | None = None,
) -> None:
    """Make a record of a part's spec from what was kept, complete, with nothing observed but these metrics.

    The spec is the part's own unless ``experiment`` is given, the rows are those of its file unless ``rows``
    are.

    Raises
    ------
    LookupError
        A row has levels that the spec has not.
    """
    experiment = experiment or load(study / f"{part}.toml")
    values = kept(study, part) if rows is None else KeptValues(rows)
    levels_of = {factor.name: {str(level): level for level in factor.levels} for factor in experiment.factors}
    blocks: dict[int, dict[tuple[str, ...], tuple[dict[str, Scalar], list[LabelledValue]]]] = {}
    places: dict[int, tuple[int, int, dict[str, Scalar]]] = {}
    for row in values.rows:
        levels = {}
        for factor, by_text in levels_of.items():
            if row[factor] not in by_text:
                raise LookupError(f"{part}.csv has {factor} = {row[factor]}, which {part}.toml has not")
            levels[factor] = by_text[row[factor]]
        labels = {key: _parse(row[key]) for key in values.keys if row[key] and key not in levels_of}
        drawn = {name.removeprefix(DRAWN): _parse(row[name]) for name in values.drawn}
        places[int(row["block"])] = (int(row.get("pass", 1)), int(row.get("context", 0)), drawn)
        trials = blocks.setdefault(int(row["block"]), {})
        _, result = trials.setdefault(tuple(row[factor] for factor in levels_of), (levels, []))
        result += [LabelledValue(name, float(row[name]), labels) for name in values.metrics if row[name]]
    complete = [KeptBlock(list(blocks[id_].values()), *places[id_]) for id_ in sorted(blocks)]
    write_values(directory, experiment, complete, f"values/{part}.csv")


def keep(study: Path, part: str, record: Record, metrics: Sequence[str] = ()) -> None:
    """Keep metrics of complete blocks, in the order of treatments.

    These are the metrics that the spec defines and compares, and those that are named.

    Raises
    ------
    LookupError
        A label of the program has the name of a factor and another value.
    """
    file = find(study, part)
    file.parent.mkdir(parents=True, exist_ok=True)
    experiment = record.experiment
    factors = [factor.name for factor in experiment.factors]
    chosen = [
        *dict.fromkeys(
            [*(declared.name for declared in experiment.metrics), experiment.analysis.metric, *metrics]
        )
    ]
    rows: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
    labels: dict[str, None] = {}
    for metric in chosen:
        for key, value in _cells(record, metric, labels):
            rows.setdefault(key, {})[metric] = value
    places: dict[str, dict[str, str]] = {}
    for block in (outcome.block for outcome in record.outcomes()):
        place = places[str(block.id)] = {}
        if block.context is not None:
            place |= {"pass": str(block.pass_), "context": str(block.context.id)}
            place |= {f"{DRAWN}{name}": str(setting) for name, setting in block.context.settings.items()}
    drawn = list(next(iter(places.values())))
    columns = [*factors, *(label for label in labels if label not in factors), PLACE[0], *drawn, *chosen]
    kept.cache_clear()
    with file.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, columns, restval="", lineterminator="\n")
        writer.writeheader()
        for key, values in rows.items():
            result = dict(key)
            writer.writerow({**result, **places[result[PLACE[0]]], **values})


def _cells(
    record: Record, metric: str, labels: dict[str, None]
) -> Iterator[tuple[tuple[tuple[str, str], ...], str]]:
    for sample in record.samples(metric):
        labels.update(dict.fromkeys(sample.labels))
        levels = sample.treatment.levels
        if twice := [name for name, label in sample.labels.items() if levels.get(name, label) != label]:
            raise LookupError(f"{twice[0]!r} is a factor, and a label that says something else")
        of_all = {**levels, **sample.labels}
        for block, value in zip(sample.blocks, sample.values, strict=True):
            yield (*((name, str(of_all[name])) for name in of_all), (PLACE[0], str(block))), f"{value:.10g}"
