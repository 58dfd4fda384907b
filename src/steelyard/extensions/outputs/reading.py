"""``Format``: all that a format says of itself, from which its files are read.

Each row of a text is a run with values, or one that failed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Better, Scalar
from steelyard.extensions.exchange.importers.contents import (
    FailedRuns,
    FileContents,
    ImportedSeries,
    Repeats,
    Unit,
    any_unit,
    direction_of,
    identifier,
    level,
    word_levels,
)
from steelyard.extensions.exchange.importers.machines import make_host
from steelyard.extensions.outputs.declaration import Fault, Field, Histogram, Measure, Rows
from steelyard.extensions.outputs.quantiles import describe_quantiles
from steelyard.extensions.outputs.rows import Row, list_places, list_rows
from steelyard.extensions.outputs.shapes import Lines, Shape
from steelyard.report.text.label import plural

BEHIND: Final = "<>"
_VERSION: Final = re.compile(r"\d[\w.+-]*")
HEAD: Final = 65_536
"""Characters of a text that say of which format it is."""
MOST_TOLD: Final = 4
"""Histograms whose quantiles are told."""
_NUMBER: Final = re.compile(
    r"([-+]?(?:[0-9][0-9,]*+\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?)\s*+(.*)"  # linear in the text
)

Labels = tuple[tuple[str, Scalar], ...]


class Quantity(msgspec.Struct, frozen=True):
    """A metric, its SI unit and which way is better."""

    metric: str
    unit: str
    better: Better


class Run(msgspec.Struct, frozen=True):
    """A row that was read.

    Attributes
    ----------
    labels : Labels
    values : Mapping[Quantity, tuple of float]
    launch : str
        Equal for rows that are repetitions of one launch; empty for one of its own.
    fault : tuple of str, optional
        Kind and words.
    """

    labels: Labels
    values: Mapping[Quantity, tuple[float, ...]]
    launch: str = ""
    fault: tuple[str, str] | None = None


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """A format: a function from a text, and what to call it, to ``FileContents``.

    Attributes
    ----------
    name : str
        As ``--format`` takes it.
    marks : tuple of str
        Expressions that the beginning of a text has, all of them.
    shape : Shape
    rows : tuple of Rows
    version : str
        Field of the document.
    host : Mapping[str, str]
        Facts of the machine, by field of the document.
    repeats : {"launch", "process"}
        What the rows of one configuration are.
    units : Mapping[str, str]
        Units that the tool spells in its own way.
    notes : tuple of str
        What every file of the format lacks.
    end : str
        Expression that a whole file has; without it, some of its runs may be missing.
    histograms : tuple of Histogram
        Of each row.
    limits : Mapping[str, str]
        Fields of the document with the limits at which runs are ended, by metric.
    continues : callable, optional
        Whether a document shows the run of the one before again, further on: of these, the last counts.
    """

    name: str
    marks: tuple[str, ...]
    shape: Shape
    rows: tuple[Rows, ...]
    version: str = ""
    host: Mapping[str, str] = {}
    repeats: Repeats = "launch"
    units: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    end: str = ""
    histograms: tuple[Histogram, ...] = ()
    limits: Mapping[str, str] = {}
    continues: Callable[[Any, Any], bool] | None = None

    def looks_like(self, text: str) -> bool:
        """Whether the text begins as one of the format."""
        return all(re.search(mark, text[:HEAD], re.MULTILINE) for mark in self.marks)

    def __call__(self, text: str, place: str) -> FileContents:
        """Read every row of a text: the number of runs with values, failed and skipped is that of the rows.

        Raises
        ------
        UsageError
            It is of another format, or is damaged.
        """
        if not self.looks_like(text):
            raise UsageError(
                f"{place}: not a file of {self.name}",
                hint="leave --format out, or name the format that the file has",
            )
        try:
            documents, snapshots = _drop_snapshots(self, list(self.shape.parse(text, place)))
            runs, quantiles = _read_runs(self, documents)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # What a declaration says of a document is true of those that its tool writes.
            raise UsageError(
                f"{place}: looks like a file of {self.name}, but is arranged otherwise: {error}",
                hint="another version of the tool wrote it, or something changed it",
            ) from None
        first = documents[0] if documents else {}
        version = _VERSION.search(str(Row(first).get(self.version) or "")) if self.version else None
        host = make_host(**{name: _get_scalar(Row(first).get(path)) for name, path in self.host.items()})
        failures = _attribute([run for run in runs if run.fault and run.fault[0] != "skipped"], runs)
        return FileContents(
            f"{self.name} {version[0]}" if version else self.name,
            tuple(_make_series(runs)),
            self.repeats,
            host,
            notes=(
                *snapshots,
                *_tell_count(self, runs),
                *_tell_end(self, text),
                *self.notes,
                *_shorten(quantiles),
            ),
            skipped={
                word_levels(dict(run.labels)): run.fault[1]
                for run in runs
                if run.fault and run.fault[0] == "skipped"
            },
            failures=tuple(failures),
            limits=dict(_read_limits(self, Row(first))),
        )


def _read_limits(form: Format, document: Row) -> Iterator[tuple[str, float]]:
    """Yield the limits at which runs were ended, in SI units."""
    for metric, field in form.limits.items():
        if match := _NUMBER.fullmatch(str(document.get(field) or "").strip()):
            yield metric, float(match[1].replace(",", "")) * _get_unit(form, match[2]).scale


def _drop_snapshots(form: Format, documents: list[Any]) -> tuple[list[Any], list[str]]:
    """Return the documents without those of a run that goes on in the next one, and a note of them."""
    if form.continues is None:
        return documents, []
    pairs = pairwise(documents)
    last = [before for before, after in pairs if not form.continues(before, after)] + documents[-1:]
    dropped = len(documents) - len(last)
    text = f"Left out: {plural(dropped, 'report')} of runs that were still going on; the last of each counts."
    return last, [text] * (dropped > 0)


def _read_runs(form: Format, documents: list[Any]) -> tuple[list[Run], list[str]]:
    """Return the runs of all documents, and what histograms tell."""
    runs: list[Run] = []
    quantiles: list[str] = []
    for document in documents:
        for rows in form.rows:
            for row in list_rows(document, rows.path):
                if rows.keeps is not None and not rows.keeps(row):
                    continue
                run = _read_run(form, rows, row)
                runs.append(run)
                quantiles += describe_quantiles(form.histograms, row, word_levels(dict(run.labels)))
    return runs, quantiles


def _read_run(form: Format, rows: Rows, row: Row) -> Run:
    labels = tuple(
        (identifier(name), value)
        for name, field in rows.labels.items()
        if (value := _get_scalar(_get(row, field))) not in (None, "")
    )
    values: dict[Quantity, tuple[float, ...]] = {}
    for measure in rows.measures:
        for place in list_places(row, measure.places):
            numbers = _read_numbers(form, measure, place)
            if numbers is not None:
                values.setdefault(*numbers)
    launch = str(_get(row, rows.launch)) if rows.launch else ""
    fault = next(filter(None, (_find_fault(entry, row) for entry in rows.faults)), None)
    if fault is None and not values:
        fault = ("failed", rows.without)
    return Run(labels, values, launch, fault)


def _find_fault(fault: Fault, row: Row) -> tuple[str, str] | None:
    if isinstance(fault.field, str):
        texts = [_format_value(value) for value in row.list_values(fault.field)] or [""]
    else:
        texts = [_format_value(fault.field(row))]
    for text in texts:
        if re.fullmatch(fault.when, text):
            return fault.kind, fault.words.format(value=" ".join(text.split())[:200])
    return None


def _read_numbers(form: Format, measure: Measure, place: Row) -> tuple[Quantity, tuple[float, ...]] | None:
    """Return what a measure is of a place, and its values; ``None`` where the place has none."""
    entries = (
        place.list_values(measure.field) if isinstance(measure.field, str) else _list(measure.field(place))
    )
    numbers: list[float] = []
    unit_text = _resolve_text(measure.unit, place) if measure.unit != BEHIND else ""
    for value in entries:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            continue
        match = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
        if isinstance(value, str) and (match is None or (match[2] and measure.unit != BEHIND)):
            continue
        numbers.append(float(match[1].replace(",", "")) if match else float(value))
        unit_text = match[2] if match and measure.unit == BEHIND else unit_text
    if not numbers:
        return None
    if measure.minus:
        least = place.get(measure.minus)
        if not isinstance(least, int | float):
            return None
        numbers = [number - least for number in numbers]
    unit = _get_unit(form, unit_text)
    name = identifier(_resolve_text(measure.metric, place))
    name = f"{name}_s" if unit.si == "s" and not name.endswith("_s") else name
    better = measure.better or direction_of(unit.si) or "neither"
    return Quantity(name, unit.si, better), tuple(number * unit.scale for number in numbers)


def _get_unit(form: Format, text: str) -> Unit:
    return any_unit(form.units.get(text, text))


def _resolve_text(text: str, place: Row) -> str:
    """Return a text of the declaration, or what the field says that it names in angle brackets."""
    if text.startswith("<") and text.endswith(">"):
        return str(place.get(text[1:-1]) or "")
    return text


def _get(row: Row, field: Field) -> object:
    return row.get(field) if isinstance(field, str) else field(row)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _format_value(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _get_scalar(value: object) -> Scalar | None:
    """Return a level: numbers as such, and of texts those that look like one."""
    if isinstance(value, str):
        return level(value.strip())
    return value if isinstance(value, bool | int | float) else None


def _make_series(runs: list[Run]) -> Iterator[ImportedSeries]:
    """Yield a series for each configuration and metric; rows of one launch are its repetitions.

    A metric that only runs which failed have is a series without values: what these took may be counted.
    """
    launches: dict[tuple[Labels, Quantity], dict[object, tuple[float, ...]]] = {}
    for number, run in enumerate(runs):
        if run.fault is not None:
            continue
        for quantity, values in run.values.items():
            of_launch = launches.setdefault((run.labels, quantity), {})
            key: object = run.launch or number
            of_launch[key] = (*of_launch.get(key, ()), *values)
    for (labels, quantity), of_launch in launches.items():
        yield ImportedSeries(
            dict(labels), quantity.metric, quantity.unit, tuple(of_launch.values()), quantity.better
        )
    metrics = {quantity.metric for _, quantity in launches}
    failed = {quantity.metric: (run, quantity) for run in reversed(runs) for quantity in run.values}
    for run, quantity in reversed(failed.values()):
        if quantity.metric not in metrics:
            yield ImportedSeries(dict(run.labels), quantity.metric, quantity.unit, (), quantity.better)


def _attribute(failed: list[Run], runs: list[Run]) -> Iterator[FailedRuns]:
    """Yield the runs that failed, each under the labels of its configuration.

    One that ended before it said which of several configurations it was counts for each that it may be.
    """
    cells = dict.fromkeys(run.labels for run in runs if run.fault is None)
    for run in failed:
        kind, words = run.fault or ("failed", "")
        alike = [labels for labels in cells if labels != run.labels and set(run.labels) < set(labels)]
        finite = {
            quantity.metric: values[0]
            for quantity, values in run.values.items()
            if math.isfinite(values[0]) and values[0] > 0
        }
        for labels in [run.labels] if run.labels in cells or not alike else alike:
            yield FailedRuns(
                dict(labels),
                failed=int(kind in ("failed", "wrong")),
                timed_out=int(kind == "timed_out"),
                reason=words,
                values=(finite,) if finite else (),
                is_wrong=kind == "wrong",
            )


def _tell_count(form: Format, runs: list[Run]) -> list[str]:
    """Tell how many rows were found in what a program printed, and of how many configurations."""
    if not isinstance(form.shape, Lines) or len(runs) < 2:
        return []
    names = dict.fromkeys(name for run in runs for name, _ in run.labels)
    levels = {name: list(dict.fromkeys(dict(run.labels).get(name) for run in runs)) for name in names}
    varying = [
        f"{name} {', '.join(map(str, values[:6]))}{', …' if len(values) > 6 else ''}"
        for name, values in levels.items()
        if len(values) > 1
    ]
    failed = sum(run.fault is not None for run in runs)
    text = f"{len(runs)} results of {form.name}" + (f": {'; '.join(varying)}" if varying else "")
    return [f"{text}; {failed} failed." if failed else f"{text}."]


def _shorten(sentences: list[str]) -> list[str]:
    surplus = len(sentences) - MOST_TOLD
    return (
        [*sentences[:MOST_TOLD], f"{surplus} more histograms have quantiles."] if surplus > 1 else sentences
    )


def _tell_end(form: Format, text: str) -> list[str]:
    if not form.end or re.search(form.end, text, re.MULTILINE):
        return []
    return [f"The output does not have the end that {form.name} writes: later runs may be missing."]
