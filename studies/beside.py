#!/usr/bin/env python3
"""Paper beside paper: ``python studies/beside.py [--check] [STUDY...]``.

A study that compares itself with its paper has ``statements.csv``, a row for each statement of the paper, and
``compared.py``, which declares for each what decides it (``declarations.py``): marks are computed, and none
is typed. From both, ``PAPER.md`` is written, the counts in the study's README, and what stands on top of
``studies/README.md``. Nothing is measured.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final, Literal, NamedTuple

from chance import HEAD as HEAD_OF_CHANCE
from chance import Agreement
from declarations import LEGEND, Cause, Data, Declaration, Judged, judge
from evidence import LEGEND as LEGEND_OF_EVIDENCE
from evidence import write_evidence
from readme_tables import write_table

HERE: Final = Path(__file__).resolve().parent
FILE: Final = "statements.csv"
PAGE: Final = "PAPER.md"
BEGIN: Final = "<!-- written by studies/beside.py -->"
END: Final = "<!-- end of what beside.py writes -->"

Outcome = Literal["reproduced", "contradicted", "not resolved", "not attempted", "set-up"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("reproduced", "contradicted", "not resolved", "not attempted")
"""Those that are counted."""
KINDS: Final = ("cell", "table", "figure", "sentence")
CHANCE: Final = (
    "Cells of tables that agree with the published ones, and how many would if ours were shuffled among the"
    " places of their table; p is the probability of as many or more. Where they are alike, the agreement of"
    " single cells says nothing."
)


class Statement(NamedTuple):
    """What a paper publishes at one place: a cell, table, figure or sentence."""

    id: str
    place: str
    kind: str
    text: str
    published: str


class Comparison(NamedTuple):
    """What our data give by the paper's method and by ours, and what that says of a statement."""

    by_paper: str
    by_ours: str
    outcome: Outcome
    why: str = ""
    evidence: str = ""
    is_recomputed: bool = False
    """From what the paper prints, and not from measurements."""
    cause: Cause | None = None
    """Why it is not resolved."""


class Row(NamedTuple):
    """A statement with its comparison."""

    statement: Statement
    comparison: Comparison


def studies() -> list[str]:
    """Studies that are compared with their papers."""
    return sorted(file.parent.name for file in HERE.glob("*/compared.py"))


@cache
def load(study: str) -> ModuleType:
    """Load ``compared.py`` of a study."""
    sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []
    name = f"compared_{study.replace('-', '_')}"
    spec = importlib.util.spec_from_file_location(name, HERE / study / "compared.py")
    assert spec is not None  # noqa: S101
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_statements(study: Path) -> list[tuple[Statement, str]]:
    """Statements of a study, each with the reason why it was not attempted, or nothing."""
    with (study / FILE).open(newline="", encoding="utf-8") as file:
        return [
            (
                Statement(line["id"], line["place"], line["kind"], line["statement"], line["published"]),
                line["not_attempted"],
            )
            for line in csv.DictReader(file)
        ]


def rows_of(study: str, module: ModuleType | None = None) -> list[Row]:
    """Every statement with its comparison, those of ``statements.csv`` first.

    Raises
    ------
    LookupError
        A statement has no comparison, or a comparison has no statement.
    """
    module = module or load(study)
    compared = _compare_declared(study, module)
    rows = []
    result = set()
    for statement, reason in read_statements(HERE / study):
        if reason:
            comparison = Comparison("", "", "not attempted", reason)
        elif statement.id in compared:
            comparison = compared[statement.id]
        else:
            raise LookupError(f"{study}: nothing is compared with {statement.id!r}")
        result.add(statement.id)
        rows.append(Row(statement, comparison))
    if ordered := sorted({*compared} - result):
        raise LookupError(f"{study}: {FILE} has no statement {ordered[0]!r}")
    return [*rows, *_compare_cells(study, module)]


def _compare_cells(study: str, module: ModuleType) -> Iterator[Row]:
    data = Data(HERE / study)
    for statement, declared in getattr(module, "CELLS", ()):
        is_declared = isinstance(declared, Declaration)
        yield Row(statement, _write(declared, module, data) if is_declared else declared)


def _compare_declared(study: str, module: ModuleType) -> dict[str, Comparison]:
    data = Data(HERE / study)
    return {item.id: _write(item, module, data) for item in module.DECLARATIONS}


def _write(declaration: Declaration, module: ModuleType, data: Data) -> Comparison:
    comparison = _write_judged(judge(declaration, data))
    return comparison._replace(
        evidence=write_evidence(declaration, module, data), is_recomputed=declaration.kind == "recomputed"
    )


def _write_judged(judged: Judged) -> Comparison:
    declaration, cause = judged.declaration, judged.cause
    if judged.by_paper is None or judged.by_ours is None:
        return Comparison("", "", judged.mark, declaration.remark)
    remarks = [] if cause is None else [str(cause)]
    if judged.control is not None:
        remarks.append(f"control: {judged.control.text}")
    if declaration.origin != "measured here":
        remarks.append(f"data: {declaration.origin}")
    if declaration.remark:
        remarks.append(declaration.remark)
    by_paper, by_ours = (
        f"{names}: {answer.text} (**{answer.verdict}**)"
        for names, answer in (
            (declaration.rule, judged.by_paper),
            (declaration.claim, judged.by_ours),
        )
    )
    return Comparison(by_paper, by_ours, judged.mark, "; ".join(remarks), cause=cause)


def count(rows: Sequence[Row]) -> dict[Outcome, int]:
    """How many statements have each outcome."""
    counter = Counter(row.comparison.outcome for row in rows)
    return {outcome: counter[outcome] for outcome in OUTCOMES}


def say_counts(counts: Mapping[Outcome, int]) -> str:
    """Counts as a sentence."""
    named = ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
    return f"Of {sum(counts.values())} statements: {named}."


def say_recomputed(rows: Sequence[Row]) -> str:
    """How many of them are recomputed from the print, and what that gave."""
    counts = count([row for row in rows if row.comparison.is_recomputed])
    named = ", ".join(f"{number} {outcome}" for outcome, number in counts.items() if number)
    return f"Recomputed from what is printed: {named}." if named else ""


def write_open(rows: Sequence[Row]) -> str:
    """What would decide the statements that are not resolved: a command, how many it is of, and why."""
    causes = [row.comparison.cause for row in rows if row.comparison.cause is not None]
    by_kind = Counter(cause.kind for cause in causes)
    by_command: dict[str, Counter[str]] = {}
    for cause in causes:
        by_command.setdefault(cause.command, Counter())[cause.kind] += 1
    kinds = ", ".join(f"{number} {kind}" for kind, number in by_kind.most_common())
    ordered = sorted(by_command.items(), key=lambda item: (-item[1].total(), item[0]))
    table = write_table(
        ("what would decide", "statements", "causes"),
        [
            (
                f"`{command}`" if command else "no run: two methods, or a control, say different things",
                str(counter.total()),
                ", ".join(f"{number} {kind}" for kind, number in counter.most_common()),
            )
            for command, counter in ordered
        ],
    )
    head = f"Not resolved, by cause: {kinds}. How many runs, blocks or points each takes is in its row."
    return f"{head}\n\n{table}"


def write_page(module: ModuleType, rows: Sequence[Row]) -> str:
    """Write the page of a study, in Markdown."""
    parts = [
        f"# Paper beside paper: {module.TITLE}",
        f"{module.PAPER}",
        f"**{' '.join(filter(None, (say_counts(count(rows)), say_recomputed(rows))))}**",
        LEGEND,
        LEGEND_OF_EVIDENCE,
        module.ABOUT,
        "Written by `python studies/beside.py` from the study's data; a test holds it to them.",
    ]
    if agreements := agreements_of(module):
        parts += ["## Chance beside agreement", CHANCE, _write_agreements(agreements)]
    for kind, title in zip(KINDS, ("Cells", "Tables", "Figures", "Sentences"), strict=True):
        chosen = [row for row in rows if row.statement.kind == kind and row.comparison.outcome != "set-up"]
        if chosen:
            parts += [f"## {title}", say_counts(count(chosen)), _table(chosen)]
    if listed := [row for row in rows if row.comparison.outcome == "set-up"]:
        parts += ["## Methods, definitions and drawings", "Listed, not counted.", _table(listed)]
    parts += [f"## {title}\n\n{table}" for title, table in getattr(module, "grids", dict)().items()]
    return "\n\n".join(parts) + "\n"


def agreements_of(module: ModuleType) -> list[Agreement]:
    """Tables of cells of a study, beside chance."""
    return [*module.agreements()] if hasattr(module, "agreements") else []


def _write_agreements(agreements: Sequence[Agreement]) -> str:
    return write_table(("table", *HEAD_OF_CHANCE), [agreement.row() for agreement in agreements])


def _table(rows: Sequence[Row]) -> str:
    head = (
        "place",
        "the paper",
        "published",
        "ours, by the paper's method",
        "ours, by our method",
        "outcome",
        "evidence",
        "remarks",
    )
    return write_table(
        head,
        [
            [
                _cell(text)
                for text in (
                    row.statement.place,
                    row.statement.text,
                    row.statement.published,
                    row.comparison.by_paper,
                    row.comparison.by_ours,
                    f"**{row.comparison.outcome}**",
                    row.comparison.evidence,
                    row.comparison.why,
                )
            ]
            for row in rows
        ],
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ") or "–"


def put(text: str, block: str) -> str:
    """Put a block between the marks of a README.

    Raises
    ------
    LookupError
        The marks are missing.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise LookupError(f"the README lacks {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{block}\n{END}{after}"


def written(names: Sequence[str]) -> Iterator[tuple[Path, str]]:
    """Files of these studies, and of all together where all are asked for, with what they must contain."""
    overview = []
    findings: list[str] = []
    agreements: list[Agreement] = []
    total: Counter[Outcome] = Counter()
    every: list[Row] = []
    for study in names:
        module = load(study)
        rows = rows_of(study, module)
        counts = count(rows)
        total.update(counts)
        every += rows
        yield HERE / study / PAGE, write_page(module, rows)
        readme = HERE / study / "README.md"
        line = f"Beside the paper, statement by statement: [PAPER.md]({PAGE}). {say_counts(counts)}"
        bullets = [f"- {finding}" for finding in module.findings()]
        heads = module.head() if hasattr(module, "head") else ()
        block = "\n\n".join([line, *heads, "What the paper did not know:", "\n".join(bullets)])
        yield readme, put(readme.read_text(encoding="utf-8"), block)
        overview.append([f"[{study}]({study}/{PAGE})", *map(str, (sum(counts.values()), *counts.values()))])
        findings += module.findings()
        agreements += [item._replace(title=f"{study}: {item.title}") for item in agreements_of(module)]
    if [*names] == studies():
        readme = HERE / "README.md"
        everything = {outcome: total[outcome] for outcome in OUTCOMES}
        overview.append(["together", *map(str, (total.total(), *everything.values()))])
        block = "\n\n".join(
            [
                "## What was found that the papers did not know",
                "\n".join(f"- {finding}" for finding in findings),
                "## Paper beside paper",
                f"{say_counts(everything)} {say_recomputed(every)} {LEGEND}",
                write_table(("study", "statements", *OUTCOMES), overview),
                write_open(every),
                CHANCE,
                _write_agreements(agreements),
            ]
        )
        yield readme, put(readme.read_text(encoding="utf-8"), block)


def main() -> int:
    """Write the files; with ``--check``, name those that are stale and end with 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("studies", nargs="*", metavar="STUDY")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a file is stale")
    options = parser.parse_args()
    stale = 0
    for file, text in written(options.studies or studies()):
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(f"{file.relative_to(HERE.parent)}: {'stale' if options.check else 'written'}")
        if not options.check:
            file.write_text(text, encoding="utf-8")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
