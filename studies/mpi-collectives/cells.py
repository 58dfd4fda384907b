"""Verdicts on guidelines as PGChecker prints them, rule by size, and as ``guidelines.csv`` keeps them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from replacing import replace_rows

from steelyard.api.claims import (
    ORDER_OF_OUTCOMES,
    SIGNS,
    Checked,
    Instance,
    Rule,
    RulePointEvidence,
    Verdict,
    format_verdict,
)

FILE: Final = Path(__file__).resolve().parent / "guidelines.csv"
AXIS: Final = ("bytes", "p")


class Cell(NamedTuple):
    """A rule at one point; ``of`` is a library or a simulated machine, ``about`` the operation of a rule over
    sizes or ranks.
    """

    of: str
    rule: str
    about: str
    p: str
    bytes: str
    outcome: str
    ratio: str
    low: str
    high: str
    n: str

    @property
    def is_pattern(self) -> bool:
        """Whether the rule is about operations, and not about sizes or ranks."""
        return not self.rule[0].isdigit()


def cells_of(of: str, checked: Checked) -> Iterator[Cell]:
    """Every point of every rule, in their order."""
    for verdict in checked.verdicts:
        claim = verdict.claim
        if not isinstance(claim, Rule):
            continue
        for point in points(verdict):
            result, at = _evidence(point), point.stratum
            bounds = result.interval
            yield Cell(
                of,
                claim.rule,
                str(at.get("op", "")),
                *(str(at.get(name, "")) for name in reversed(AXIS)),
                point.outcome,
                _text(result.ratio),
                _text(bounds and bounds.low),
                _text(bounds and bounds.high),
                str(result.n),
            )


def _text(value: float | None) -> str:
    """Four digits are kept."""
    return "" if value is None else f"{value:.4g}"


def _evidence(point: Instance) -> RulePointEvidence:
    assert isinstance(point.evidence, RulePointEvidence)  # noqa: S101 -- of points() alone
    return point.evidence


def points(verdict: Verdict) -> list[Instance]:
    """Those that were measured, without the growth."""
    return [instance for instance in verdict.instances if isinstance(instance.evidence, RulePointEvidence)]


def kept(file: Path = FILE) -> list[Cell]:
    """What the file has."""
    if not file.is_file():
        return []
    with file.open(newline="", encoding="utf-8") as lines:
        return [Cell(**row) for row in csv.DictReader(lines)]


def keep(of: str, cells: Iterable[Cell], *, file: Path = FILE) -> None:
    """Put ``cells`` in the place of those that the file has of the same."""
    new = [*cells]

    def add_cells() -> list[Cell]:
        return sorted([*(cell for cell in kept(file) if cell.of != of), *new], key=lambda cell: cell.of)

    replace_rows(file, Cell._fields, add_cells)


def table(checked: Checked) -> str:
    """Rule by size; of several numbers of ranks, the worst is shown."""
    verdicts = [item for item in checked.verdicts if getattr(item.claim, "over", "") == "op"]
    sizes = sorted({int(point.stratum["bytes"]) for verdict_ in verdicts for point in points(verdict_)})
    rows = [["", "rule", *(f"{size} B" for size in sizes)]]
    for verdict in verdicts:
        columns = [_shown(verdict, size) for size in sizes]
        rows.append([SIGNS[verdict.outcome], str(getattr(verdict.claim, "rule", "")), *columns])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) if i < 2 else cell.rjust(width) for i, (cell, width) in aligned)
        for row in rows
        if (aligned := list(enumerate(zip(row, widths, strict=True))))
    ]
    return "\n".join(line.rstrip() for line in lines)


def _shown(verdict: Verdict, size: int) -> str:
    """``✗ 2.31``: sign and ratio of the worst point of this size."""
    result = [item for item in points(verdict) if item.stratum["bytes"] == size]
    if not result:
        return ""
    worst = min(result, key=lambda value: (ORDER_OF_OUTCOMES[value.outcome], -_ratio(value)))
    return f"{SIGNS[worst.outcome]} {_ratio(worst):.2f}" if _ratio(worst) else SIGNS[worst.outcome]


def _ratio(point: Instance) -> float:
    return _evidence(point).ratio or 0.0


def broken(checked: Checked) -> list[str]:
    """The rules that are broken, in words; how many are open."""
    failing = [f"✗ {format_verdict(item)}" for item in checked.verdicts if item.outcome == "fails"]
    result = sum(verdict.outcome in ("not_resolved", "not_judged") for verdict in checked.verdicts)
    count = f"{len(failing)} of {len(checked.verdicts)} rules broken, {result} open"
    return ["", count, *failing]


def by_size(of: str, cells: Iterable[Cell]) -> str:
    """A Markdown table of one library, pattern by size; of several numbers of ranks, the worst."""
    selection = [item for item in cells if item.of == of and item.is_pattern]
    sizes = sorted({int(cell.bytes) for cell in selection})
    rows = []
    for rule in dict.fromkeys(cell.rule for cell in selection):
        at = [[cell for cell in selection if (cell.rule, cell.bytes) == (rule, str(size))] for size in sizes]
        rows.append([f"`{rule}`", *(_worst(result) for result in at)])
    return _markdown(["rule", *(f"{size} B" for size in sizes)], rows)


def by_machine(cells: Iterable[Cell], ofs: Sequence[str]) -> str:
    """A Markdown table of simulated machines: broken points of all, and the worst of them."""
    rows = []
    every = [item for item in cells if item.of in ofs]
    for rule in dict.fromkeys(cell.rule for cell in every if cell.is_pattern):
        row = [f"`{rule}`"]
        for subject in ofs:
            selection = [cell for cell in every if (cell.of, cell.rule) == (subject, rule)]
            failing = [cell for cell in selection if cell.outcome == "fails"]
            worst = max(failing, key=lambda value: float(value.ratio), default=None)
            result = sum(cell.outcome not in ("holds", "fails") for cell in selection)
            kept_or_open = (
                f"✓ {len(selection)}" if selection and not result else f"? {result}/{len(selection)}"
            )
            row.append(f"{len(failing)}/{len(selection)}: {_at(worst)}" if worst else kept_or_open)
        rows.append(row)
    return _markdown(["rule", *ofs], rows)


def _at(cell: Cell) -> str:
    return f"✗ {float(cell.ratio):.3g} (p = {cell.p}, {cell.bytes} B)"


def _worst(cells: Sequence[Cell]) -> str:
    if not cells:
        return ""
    worst = min(cells, key=lambda item: (ORDER_OF_OUTCOMES[item.outcome], -float(item.ratio or 0)))
    return f"{SIGNS[worst.outcome]} {float(worst.ratio):.2f}" if worst.ratio else SIGNS[worst.outcome]


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
