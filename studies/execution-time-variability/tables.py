"""What the study makes of an answer: cells and tables in the form of the paper, and counts by program."""

from __future__ import annotations

import csv
import math
import statistics
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.stats.answer import Answer
from steelyard.stats.compare.speedup import Speedup
from steelyard.stats.protocol_2014.programs import ProgramTables

PUBLISHED = Path(__file__).resolve().parent / "published.csv"


def tables_of(answer: Answer) -> ProgramTables:
    """Those of the protocol, which every spec of the study asks for."""
    if answer.protocol is None or answer.protocol.programs is None:
        raise ValueError(f"{answer.experiment} has no tables: it declares no protocol, or no strata")
    return answer.protocol.programs


class Found(NamedTuple):
    """One cell of a table: of so many programs, how many differ before and after Holm."""

    part: str
    metric: str
    stratum: str
    first: str
    second: str
    programs: int
    before: int
    after: int


def cells(name: str, answer: Answer) -> list[Found]:
    """The tables of a part, cell by cell."""
    return [
        Found(
            name,
            answer.metric.name,
            ",".join(map(str, table.stratum.values())),
            *(cell.first, cell.second, cell.programs, cell.before, cell.after),
        )
        for table in tables_of(answer).tables
        for cell in table.cells
    ]


def counted(answer: Answer) -> dict[str, Any]:
    """What the protocol and the default say of the same pairs, program by program; of speedups the largest,
    whichever way, and the median of half the width of their 95 % intervals.
    """
    by_program: dict[str, dict[str, Any]] = {}
    for row in tables_of(answer).rows:
        called = " ".join([row.program, *map(str, row.stratum.values())])
        by_program[called] = {
            "pairs": row.pairs,
            "before": row.before,
            "after": row.after,
            "default": 0,
            "tests": dict(row.tests),
            "largest_percent": 0.0,
            "halfwidth_percent": None,
        }
    widths: dict[str, list[float]] = {name: [] for name in by_program}
    for each in answer.judged:
        called = " ".join(map(str, each.stratum.values()))
        of = by_program[called]
        of["default"] += each.verdict in {"faster", "slower"}
        if isinstance(each.speedup, Speedup):
            ratio = each.speedup.value
            of["largest_percent"] = max(of["largest_percent"], 100 * (max(ratio, 1 / ratio) - 1))
        if each.ci95 is not None:
            widths[called].append(100 * (math.sqrt(each.ci95.high / each.ci95.low) - 1))
    for called, found in widths.items():
        if found:
            by_program[called]["halfwidth_percent"] = statistics.median(found)
    keys = ("pairs", "before", "after", "default")
    return {
        **{key: sum(row[key] for row in by_program.values()) for key in keys},
        "programs": by_program,
    }


def effects(answer: Answer) -> dict[str, Any]:
    """Of factors with two levels, program by program: how much faster the second level is."""
    return {
        str(each.stratum["command"]): {
            " x ".join(effect.factors): {
                "ratio": effect.ratio.value,
                "ci95": [effect.ci95.low, effect.ci95.high],
                "resolved": effect.resolved,
            }
            for effect in each.effects
            if effect.ratio and effect.ci95
        }
        for each in answer.effects
    }


def triangle(title: str, percents: Mapping[tuple[str, str], str]) -> str:
    """Rows and columns in the order of the design, as the paper has them."""
    rows = list(dict.fromkeys(first for first, _ in percents))
    columns = list(dict.fromkeys(second for _, second in percents))
    wide = max(map(len, [*rows, *columns, "100%*"]))
    shown = [title, " ".join(f"{name:>{wide}}" for name in ["", *columns])]
    for row in rows:
        texts = [row, *(percents.get((row, column), "") for column in columns)]
        shown += [" ".join(f"{text:>{wide}}" for text in texts)]
    return "\n".join(line.rstrip() for line in shown) + "\n"


def published() -> list[str]:
    """Tables 3 to 8 of the paper."""
    tables: dict[str, dict[tuple[str, str], str]] = {}
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            title = f"Published, Table {row['table']}" + (f", {row['opt']}" if row["opt"] else "")
            star = "*" if row["fewer_after_holm"] == "yes" else ""
            tables.setdefault(title, {})[row["first"], row["second"]] = f"{row['percent']}%{star}"
    return [triangle(title, cells) for title, cells in tables.items()]


def measured(found: Iterable[Found]) -> list[str]:
    """The same of ours, elapsed time."""
    tables: dict[str, dict[tuple[str, str], str]] = {}
    for cell in found:
        if cell.metric == "wall_s":
            name = " ".join(filter(None, (f"{cell.part}, {cell.programs} programs", cell.stratum)))
            pair = cell.first, cell.second
            star = "*" if cell.after < cell.before else ""
            tables.setdefault(f"{name}, before Holm", {})[pair] = f"{100 * cell.before / cell.programs:.0f}%"
            tables.setdefault(f"{name}, after", {})[pair] = f"{100 * cell.after / cell.programs:.0f}%{star}"
    return [triangle(title, each) for title, each in tables.items()]
