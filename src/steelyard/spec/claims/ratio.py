"""``faster``, ``slower`` and ``equivalent``: one treatment against another."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.spec.cells import Cell
from steelyard.spec.check.selectors import check_pair, free_factors
from steelyard.spec.claims.claim import Equivalent, Faster, Slower
from steelyard.spec.claims.question import Question, check_metric, select
from steelyard.spec.claims.tables import EquivalentTable, FasterTable, SlowerTable
from steelyard.spec.text.origin import Origin, Path
from steelyard.units import Scalar


def read_faster(table: FasterTable, question: Question, origin: Origin, path: Path) -> Faster:
    """The claim, with its levels as the factors have them."""
    new, old, where, strata = _pair("faster", table.faster, "than", table, question, origin, path)
    return Faster(new, old, table.by, table.metric, where, strata, table.name)


def read_slower(table: SlowerTable, question: Question, origin: Origin, path: Path) -> Slower:
    """The same of the opposite."""
    new, old, where, strata = _pair("slower", table.slower, "than", table, question, origin, path)
    return Slower(new, old, table.by, table.metric, where, strata, table.name)


def read_equivalent(table: EquivalentTable, question: Question, origin: Origin, path: Path) -> Equivalent:
    """The claim, with its levels as the factors have them."""
    new, old, where, strata = _pair("equivalent", table.equivalent, "to", table, question, origin, path)
    return Equivalent(new, old, table.within, table.metric, where, strata, table.name)


def _pair(
    key: str,
    new: Mapping[str, Scalar],
    other: str,
    table: FasterTable | SlowerTable | EquivalentTable,
    question: Question,
    origin: Origin,
    path: Path,
) -> tuple[Cell, Cell, Cell, tuple[str, ...]]:
    metric = check_metric(table.metric, question, origin, (*path, "metric"))
    given: Mapping[str, Scalar] | None = getattr(table, other)
    old = question.analysis.baseline if given is None else given
    if old is None:
        what = f"{key} without {other}, and [analysis] has no baseline"
        raise origin.error(path, what, f"write {other} = {{ … }} as well")
    chosen = select(new, question, origin, (*path, key))
    baseline = select(old, question, origin, (*path, other))
    where = select(table.where, question, origin, (*path, "where"), metric=metric, empty=True)
    strata = free_factors(question.factors, question.zips, chosen.keys() | baseline.keys())
    check_pair(question.treatments, chosen, baseline, where, strata, origin, (*path, key), (*path, other))
    return chosen, baseline, where, strata
