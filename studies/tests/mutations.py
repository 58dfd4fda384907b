"""Changes of data that move marks: values permuted, an effect removed, an effect planted."""

from __future__ import annotations

import copy
import random
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

from declarations import Data, Declaration, Judged, judge  # noqa: E402

Rows = list[dict[str, str]]
Change = Callable[[Rows], Rows]
SEED = 2008


def _groups(rows: Rows, within: Sequence[str], where: Mapping[str, str]) -> list[Rows]:
    by_key: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        if all(row[key] == value for key, value in where.items()):
            by_key.setdefault(tuple(row[key] for key in within), []).append(row)
    return list(by_key.values())


def permuted(column: str, *within: str, **filters: str) -> Change:
    """Values of a column exchanged at random among rows that agree in ``within``."""

    def change(rows: Rows) -> Rows:
        draw = random.Random(SEED)
        for group in _groups(rows, within, filters):
            values = [row[column] for row in group]
            draw.shuffle(values)
            for row, value in zip(group, values, strict=True):
                row[column] = value
        return rows

    return change


def removed(column: str, *within: str, **filters: str) -> Change:
    """Every value near the mean of its group: what remains is noise of a thousandth."""

    def change(rows: Rows) -> Rows:
        draw = random.Random(SEED)
        for group in _groups(rows, within, filters):
            mean = statistics.fmean(float(row[column]) for row in group)
            for row in group:
                row[column] = f"{mean * draw.gauss(1, 1e-3):.9g}"
        return rows

    return change


def planted(column: str, factor: float, **filters: str) -> Change:
    """Values multiplied by a factor where the levels are these."""

    def change(rows: Rows) -> Rows:
        for row in rows:
            if all(row[key] == value for key, value in filters.items()):
                row[column] = f"{float(row[column]) * factor:.9g}"
        return rows

    return change


def narrowed(column: str, factor: float, *within: str) -> Change:
    """Deviations from the mean of a group multiplied by a factor."""

    def change(rows: Rows) -> Rows:
        for group in _groups(rows, within, {}):
            mean = statistics.fmean(float(row[column]) for row in group)
            for row in group:
                row[column] = f"{mean + factor * (float(row[column]) - mean):.9g}"
        return rows

    return change


def exchanged(column: str, first: str, second: str) -> Change:
    """Two levels of a column exchanged."""

    def change(rows: Rows) -> Rows:
        names = {first: second, second: first}
        for row in rows:
            row[column] = names.get(row[column], row[column])
        return rows

    return change


def both(*changes: Change) -> Change:
    """One change after another."""

    def change(rows: Rows) -> Rows:
        for item in changes:
            rows = item(rows)
        return rows

    return change


def list_declarations(compared: ModuleType) -> dict[str, Declaration]:
    """Statements and cells of a study, by their names."""
    cells = (declared for _, declared in getattr(compared, "CELLS", ()))
    every = (*compared.DECLARATIONS, *(cell for cell in cells if isinstance(cell, Declaration)))
    return {declared.id: declared for declared in every}


def judge_changed(declared: Declaration, data: Data, *changes: tuple[str, Callable[[Any], Any]]) -> Judged:
    """Judge a statement by data of which these files are changed."""
    for file, change in changes:
        contents = data.document(file) if file.endswith(".json") else data.table(file)
        data = data.replace(file, change(copy.deepcopy(contents)))
    return judge(declared, data)


def check_statements(
    declared: Mapping[str, Declaration], decided: Iterable[str], files: Mapping[str, Iterable[str]]
) -> None:
    """Check that each statement that data decide has a rule, a claim, and changes of its own files."""
    assert set(files) == set(decided)
    for name, changed in files.items():
        assert {*changed} <= {*declared[name].data}, name
        assert declared[name].rule, name
        assert declared[name].claim, name


def check_no_mark_is_typed(*modules: str) -> None:
    """Check the sources of modules, named relative to the studies."""
    for name in modules:
        source = (STUDIES / f"{name}.py").read_text(encoding="utf-8")
        assert '"reproduced"' not in source, name
        assert '"contradicted"' not in source, name
