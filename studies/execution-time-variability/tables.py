"""What the study makes of an answer: cells and tables in the form of the paper, and counts by program."""

from __future__ import annotations

import csv
import math
import os
import statistics
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.api import Answer, ProgramTables, ProtocolAnswer, Speedup

PUBLISHED = Path(__file__).resolve().parent / "published.csv"


def tables_of(answer: Answer) -> ProgramTables:
    """Those of the protocol, which every spec of the study asks for."""
    if not isinstance(answer.protocol, ProtocolAnswer) or answer.protocol.programs is None:
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
    for item in answer.judged:
        called = " ".join(map(str, item.stratum.values()))
        counts = by_program[called]
        counts["default"] += item.verdict in {"faster", "slower"}
        if isinstance(item.speedup, Speedup):
            ratio = item.speedup.value
            counts["largest_percent"] = max(counts["largest_percent"], 100 * (max(ratio, 1 / ratio) - 1))
        if item.ci95 is not None:
            widths[called].append(100 * (math.sqrt(item.ci95.high / item.ci95.low) - 1))
    for called, result in widths.items():
        if result:
            by_program[called]["halfwidth_percent"] = statistics.median(result)
    keys = ("pairs", "before", "after", "default")
    return {
        **{key: sum(row[key] for row in by_program.values()) for key in keys},
        "programs": by_program,
    }


def effects(answer: Answer) -> dict[str, Any]:
    """Of factors with two levels, program by program: how much faster the second level is."""
    return {
        str(item.stratum.get("command", "all")): {
            " x ".join(effect.factors): {
                "ratio": effect.ratio.value,
                "ci95": [effect.ci95.low, effect.ci95.high],
                "resolved": effect.resolved,
            }
            for effect in item.effects
            if effect.ratio and effect.ci95
        }
        for item in answer.effects
    }


def effect_lines(findings: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Effects of one program, largest first, whichever way."""
    ordered = sorted(findings.items(), key=lambda item: -abs(math.log(item[1]["ratio"])))
    return [
        f"{name} {effect['ratio']:.3f} [{effect['ci95'][0]:.3f}, {effect['ci95'][1]:.3f}]"
        + (", resolved" if effect["resolved"] else "")
        for name, effect in ordered
    ]


def identical_pairs(findings: Iterable[Found]) -> list[str]:
    """Of pairs that are one treatment by two names, how many are called different: copies of one treatment,
    and placements of threads on two CPUs, where compact and scatter are the same.
    """
    counts: dict[tuple[str, str], list[int]] = {}
    for cell in findings:
        places = [cell.first.replace("scatter", "compact"), cell.second.replace("scatter", "compact")]
        if "null" in cell.part or (places[0] == places[1] and len(os.sched_getaffinity(0)) == 2):
            result = counts.setdefault((cell.part, cell.metric), [0, 0, 0])
            for i, number in enumerate((cell.programs, cell.before, cell.after)):
                result[i] += number
    return [
        f"{part}, {metric}: of {pairs} pairs of identical treatments, {before} differ before Holm,"
        f" {after} after"
        for (part, metric), (pairs, before, after) in counts.items()
    ]


def triangle(title: str, percents: Mapping[tuple[str, str], str]) -> str:
    """Rows and columns in the order of the design, as the paper has them."""
    rows = list(dict.fromkeys(first for first, _ in percents))
    columns = list(dict.fromkeys(second for _, second in percents))
    wide = max(map(len, [*rows, *columns, "100%*"]))
    lines = [title, " ".join(f"{name:>{wide}}" for name in ["", *columns])]
    for row in rows:
        texts = [row, *(percents.get((row, column), "") for column in columns)]
        lines += [" ".join(f"{text:>{wide}}" for text in texts)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def published() -> list[str]:
    """Tables 3 to 8 of the paper."""
    tables: dict[str, dict[tuple[str, str], str]] = {}
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            title = f"Published, Table {row['table']}" + (f", {row['opt']}" if row["opt"] else "")
            star = "*" if row["fewer_after_holm"] == "yes" else ""
            tables.setdefault(title, {})[row["first"], row["second"]] = f"{row['percent']}%{star}"
    return [triangle(title, cells) for title, cells in tables.items()]


def measured(findings: Iterable[Found]) -> list[str]:
    """The same of ours, elapsed time: by the runner, and where the paper's way is there, by ``time``."""
    tables: dict[str, dict[tuple[str, str], str]] = {}
    for cell in findings:
        if cell.metric in {"wall_s", "elapsed_s"}:
            how = " by time" if cell.metric == "elapsed_s" else ""
            name = " ".join(filter(None, (f"{cell.part}{how}, {cell.programs} programs", cell.stratum)))
            pair = cell.first, cell.second
            star = "*" if cell.after < cell.before else ""
            tables.setdefault(f"{name}, before Holm", {})[pair] = f"{100 * cell.before / cell.programs:.0f}%"
            tables.setdefault(f"{name}, after", {})[pair] = f"{100 * cell.after / cell.programs:.0f}%{star}"
    return [triangle(title, item) for title, item in tables.items()]
