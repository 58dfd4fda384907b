"""Parts of a study: a spec each, run into a record, and the tables that are made of it.

A study adds the directory of this file to ``sys.path``, and hands ``main`` a function for each part.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import kept_values

from steelyard.api import Record, SteelyardError
from steelyard.api.claims import Instance, Scales, ScalesEvidence, Verdict, check, render_verdicts
from steelyard.api.scaling import ScalingModel
from steelyard.api.text import Scalar, format_quantity

PUBLISHED: Final = Path(__file__).resolve().parent / "scalability-validation" / "published.csv"
SIGNS: Final = {"match": "✓", "approximate": "≈", "none": "✗", "undecided": "?"}
WIDTH: Final = 120
Tables = Callable[[Record], str]
Kept = Callable[[], str]
Keep = Callable[[Record], None]


def main(
    study: Path,
    description: str,
    parts: Mapping[str, Tables],
    values_kept: Mapping[str, Kept] | None = None,
    keep: Mapping[str, Keep] | None = None,
) -> int:
    """Run the parts asked for and print their tables; the exit code is that of the last failure.

    Values of a part that was run are kept in ``values/PART.csv``, or by ``keep`` where the study has a form
    of its own. With ``--no-run`` and without a record, tables are made of these: by ``kept``, or of a record
    that is made of the values.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--records", type=Path, default=study, metavar="DIRECTORY")
    parser.add_argument("--no-run", action="store_true", help="only print what the records hold")
    args = parser.parse_args()
    if unknown := [part for part in args.parts if part not in parts]:
        parser.error(f"there is no part {unknown[0]!r}; parts: {', '.join(parts)}")
    failed = 0
    for part in args.parts or parts:
        record = args.records / f"{part}.lab"
        if args.no_run and not record.exists() and values_kept and part in values_kept:
            print(f"\n## {part}\n\n{values_kept[part]()}", flush=True)
            continue
        rebuilds = args.no_run and not record.exists() and kept_values.find(study, part).is_file()
        code = 0 if args.no_run else _run(study / f"{part}.toml", record)
        # 1: a claim fails, which is what some parts are there for.
        if code not in (0, 1):
            failed = code
            continue
        try:
            with kept_values.rebuilt(study, part) if rebuilds else Record.open(record) as opened:
                print(f"\n## {part}\n\n{parts[part](opened)}", flush=True)
                if not args.no_run:
                    (keep or {}).get(part, partial(kept_values.keep, study, part))(opened)
        except SteelyardError as error:
            sys.stderr.write(error.explain())
            failed = error.exit_code
    return failed


def _run(spec: Path, record: Path) -> int:
    print(f"{spec.stem}: running into {record}", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "steelyard", "run", str(spec), "--output", str(record)]
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode


def published(number: str) -> dict[str, dict[str, str]]:
    """Rank and model that a table of DOI 10.1109/TPDS.2019.2896993 prints, by function and system."""
    result: dict[str, dict[str, str]] = {}
    with PUBLISHED.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line["table"] == number:
                cell = f"{SIGNS[line['rank']]} O({line['model']})"
                result.setdefault(line["function"], {})[line["system"]] = cell
    return result


def growth(record: Record, printed: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """Every claim of growth beside what it came to, and beside the cells that are printed for its name, by
    system.
    """
    printed = printed or {}
    systems = list(dict.fromkeys(system for cells in printed.values() for system in cells))
    result = [item for item in check(record).verdicts if isinstance(item.claim, Scales)]
    predicted = any(isinstance(part_result.claim, Scales) and part_result.claim.at for part_result in result)
    head = ["claim", "expected", "model", "R̄²", "δ", "rank (probability)", "points"]
    head += ["predicted (95 %)"] if predicted else []
    rows = []
    for verdict in result:
        cells = printed.get(verdict.claim.name or "", {})
        beside = [cells.get(system, "") for system in systems]
        rows += [[*row, *beside] for row in _rows(verdict, predicted=predicted)]
    return table([*head, *(f"{system}, published" for system in systems)], rows)


def _rows(verdict: Verdict, *, predicted: bool) -> Iterator[list[str]]:
    """A row for each function of a claim, named by the levels that tell it from the others."""
    for instance in verdict.instances:
        evidence = instance.evidence
        assert isinstance(evidence, ScalesEvidence)  # noqa: S101 -- a claim of growth has no other
        name = ", ".join([verdict.claim.name or evidence.metric, *_varying(instance, verdict.instances)])
        if evidence.model is None:
            yield [name, "", evidence.reason or "", *[""] * (4 + predicted)]
        else:
            yield [name, *_cells(evidence.model), *([_prediction(evidence.model)] if predicted else [])]


def _varying(instance: Instance, every: Sequence[Instance]) -> Iterator[str]:
    for name, level in instance.stratum.items():
        if len({item.stratum.get(name) for item in every}) > 1:
            yield str(level) if isinstance(level, str) else f"{name} = {level}"


def _cells(model: ScalingModel) -> list[str]:
    checked = model.validation
    assert checked is not None  # noqa: S101 -- a claim of growth has an expectation
    sure = max(checked.probability.match, checked.probability.approximate, checked.probability.none)
    since = f" from {model.segments[-1].start:g} on" if model.segments else ""
    return [
        checked.expectation,
        model.growth() + since,
        "" if model.r2 is None else f"{model.r2:.3f}",
        checked.divergence.big_o(checked.parameter),
        f"{SIGNS[checked.rank]} ({sure:.2f})",
        str(model.points),
    ]


def _prediction(model: ScalingModel) -> str:
    if not model.predictions:
        return ""
    prediction = model.predictions[0]
    at = ", ".join(f"{name} = {scale:g}" for name, scale in zip(model.parameters, prediction.at, strict=True))
    ends = [prediction.low, prediction.high]
    bounds = " … ".join(format_quantity(end, model.unit) for end in ends if end is not None)
    return f"{at}: {format_quantity(prediction.value, model.unit)} ({bounds})"


def verdicts(record: Record) -> str:
    """What ``steelyard check`` says of the record."""
    checked = check(record)
    text = render_verdicts(checked.verdicts, checked.alpha, WIDTH, strata=False)
    return "\n".join(["```text", *("".join(span.text for span in line) for line in text), "```"])


def values(
    record: Record,
    metric: str,
    by: Sequence[str],
    over: str,
    *,
    where: Mapping[str, Scalar] | None = None,
    factor: float = 1,
) -> str:
    """Medians of a metric, times ``factor``: a row for each combination of levels and labels ``by``, a column
    for each level of ``over``.
    """
    result: dict[tuple[Scalar, ...], dict[Scalar, float]] = {}
    for sample in record.samples(metric):
        levels = {**sample.treatment.levels, **sample.labels}
        if (where or {}).items() <= levels.items():
            row = tuple(levels[name] for name in by)
            result.setdefault(row, {})[levels[over]] = factor * statistics.median(sample.values)
    columns = sorted({column for row in result.values() for column in row})
    rows = [
        [*map(str, row), *(f"{metrics[column]:.4g}" if column in metrics else "" for column in columns)]
        for row, metrics in result.items()
    ]
    return table([*by, *(f"{over} = {column}" for column in columns)], rows)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Markdown."""
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rows])
