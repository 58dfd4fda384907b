"""How often leading terms and ranks of the same series are the same, beside chance."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from chance import SHUFFLES, Agreement, compare_with_chance

HERE: Final = Path(__file__).resolve().parent
VALIDATION: Final = HERE.parent / "scalability-validation"
LEVEL: Final = 0.05
LEAST: Final = 1 / SHUFFLES
UNDECIDED: Final = "undecided"
NAMES: Final = {"seed001": "least squares", "posterior": "posterior"}
KEYS: Final = ("growth", "rank")
Row = dict[str, str]
Key = tuple[str, str, str, str]


class Compared(NamedTuple):
    """Two ways to the same series: agreement of leading terms, and of ranks."""

    source: str
    ways: str
    kind: str
    growth: Agreement
    rank: Agreement


def read(file: Path) -> list[Row]:
    """Rows of a file."""
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@cache
def models() -> dict[str, dict[Key, Row]]:
    """By source: models by series, campaign, method and points."""
    result: dict[str, dict[Key, Row]] = {}
    for row in read(HERE / "values" / "models.csv"):
        key = row["series"], row["campaign"], row["method"], row["points"]
        result.setdefault(row["source"], {})[key] = row
    return result


def is_same(first: str, second: str) -> bool:
    """Whether two answers are one; what is undecided is none."""
    return first == second != UNDECIDED


def compare(source: str, ways: str, kind: str, pairs: Iterable[tuple[Row, Row]]) -> Compared | None:
    """Agreement of pairs of models; nothing where there is no pair."""
    chosen = list(pairs)
    if not chosen:
        return None
    growth, rank = (
        compare_with_chance(source, [(first[key], second[key]) for first, second in chosen], is_same)
        for key in KEYS
    )
    return Compared(source, ways, kind, growth, rank)


def _campaigns(source: str, of: dict[Key, Row]) -> Iterator[Compared | None]:
    campaigns = [name for name in dict.fromkeys(key[1] for key in of) if name != "medians"][:2]
    for method, name in NAMES.items():
        pairs = [
            (row, of[key[0], campaigns[1], *key[2:]])
            for key, row in of.items()
            if campaigns and key[1] == campaigns[0] and key[2] == method
        ]
        yield compare(source, f"first and second campaign, {name}", "campaigns", pairs)


def _methods(source: str, of: dict[Key, Row]) -> Iterator[Compared | None]:
    pairs = [
        (row, of[key[0], "medians", "posterior", "all"])
        for key, row in of.items()
        if key[1:] == ("medians", "seed001", "all")
    ]
    yield compare(source, "least squares and posterior", "methods", pairs)


def _points(source: str, of: dict[Key, Row]) -> Iterator[Compared | None]:
    for chosen, words in (("smaller half", "the smaller half"), ("every other", "every other one")):
        for method, name in NAMES.items():
            pairs = [
                (of[key[0], "medians", method, "all"], row)
                for key, row in of.items()
                if key[1:] == ("medians", method, chosen)
            ]
            fewer = [
                (first, second) for first, second in pairs if int(second["number"]) < int(first["number"])
            ]
            yield compare(source, f"all points and {words}, {name}", "points", fewer)


def _published() -> Iterator[Compared | None]:
    printed = {
        (row["system"], row["function"].lower()): {"growth": f"O({row['model']})", "rank": row["rank"]}
        for row in read(VALIDATION / "published.csv")
        if row["table"] == "6"
    }
    later = {(row["system"], row["operation"]): row for row in read(VALIDATION / "authors.csv")}
    common = [key for key in printed if key in later]
    for suffix, method in (("_by_paper", "least squares"), ("", "posterior")):
        pairs = [(printed[key], {name: later[key][f"{name}{suffix}"] for name in KEYS}) for key in common]
        ways = f"printed and measured later, {method}"
        yield compare("Table 6 and the authors' later data", ways, "campaigns", pairs)
    pairs = [
        ({name: row[f"{name}_by_paper"] for name in KEYS}, {name: row[name] for name in KEYS})
        for row in later.values()
    ]
    yield compare("the authors' later data", "least squares and posterior", "methods", pairs)


@cache
def compared() -> list[Compared]:
    """Every pair of ways, by kind: campaigns, methods, numbers of points."""
    rows = [*_published()]
    for source, fits in models().items():
        rows += [*_campaigns(source, fits), *_methods(source, fits), *_points(source, fits)]
    present = [row for row in rows if row is not None]
    return sorted(present, key=lambda row: ("campaigns", "methods", "points").index(row.kind))


def of_kind(kind: str) -> list[Compared]:
    """Comparisons of a kind."""
    return [row for row in compared() if row.kind == kind]


def totals(rows: Iterable[Compared], read_one: Callable[[Compared], Agreement]) -> tuple[int, int, float]:
    """Series, how many of them agree, and how many would by chance."""
    agreements = [read_one(row) for row in rows]
    return (
        sum(agreement.cells for agreement in agreements),
        sum(agreement.agree for agreement in agreements),
        sum(agreement.by_chance for agreement in agreements),
    )


def verdict(agreement: Agreement) -> str:
    """Whether agreement is above chance: shown at 5 %, or not resolved, with p."""
    number = f"{agreement.p:.2g}" if agreement.p > LEAST else f"< {LEAST:g}"
    return f"{'holds' if agreement.p <= LEVEL else 'not resolved'} (p {number})"
