"""Treatments of several factors in a table: a column a factor, since shortened labels look alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.core.sample import Treatment
from steelyard.core.units import Scalar
from steelyard.report.text.label import columns, format_level_text, printable
from steelyard.report.text.table import GAP, Column


def varying(treatments: Sequence[Treatment]) -> tuple[str, ...]:
    """Return the factors that tell the treatments apart.

    None are returned unless there are two or more and the labels name them.
    """
    if not treatments:
        return ()
    names = tuple(
        name
        for name in treatments[0].levels
        if len({format_level_text(treatment.levels.get(name, "")) for treatment in treatments}) > 1
    )
    spelled = all(f"{name}=" in treatment.label for treatment in treatments for name in names)
    return names if len(names) > 1 and spelled else ()


def render_treatment_columns(
    rows: Sequence[Treatment], names: Sequence[str], room: int, title: str = "treatment"
) -> list[Column]:
    """Return a column for each of ``names``.

    Where there are none, or they would take more than ``room`` columns of the terminal, one with the labels.
    """
    by_factor = [
        Column.words(
            printable(name),
            (format_level_text(row.levels[name]) for row in rows),
            is_name=True,
            kind="factor",
        )
        for name in names
    ]
    if by_factor and sum(column.width + columns(GAP) for column in by_factor) <= room and rows:
        return by_factor
    return [Column.words(title, (printable(row.label) for row in rows), is_name=True)]


def render_baseline_column(
    rows: Sequence[tuple[Treatment, Treatment]], names: Sequence[str], title: str = "against"
) -> Column:
    """Return what each second treatment of a pair is, by what it has other than the first.

    Without ``names``, that is its label.
    """
    cells = [differing(new.levels, old.levels, names) if names else old.label for new, old in rows]
    return Column.words(title, (printable(cell) for cell in cells), is_name=True)


def differing(new: Mapping[str, Scalar], old: Mapping[str, Scalar], names: Sequence[str]) -> str:
    """Return the levels of ``old`` that ``new`` does not have, as ``opt=O2, n=1000``."""
    apart = [name for name in names if format_level_text(new[name]) != format_level_text(old[name])]
    return ", ".join(f"{name}={format_level_text(old[name])}" for name in apart)
