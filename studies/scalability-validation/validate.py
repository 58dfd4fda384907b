"""Seed 001 set beside what Steelyard says: published ranks, collectives of two MPI libraries, LULESH.

``python validate.py --collectives mpi_collectives.csv --lulesh lulesh_p_size.json`` (where the data are
published stands in README.md); ``--peer PYTHON`` names an interpreter with Extra-P, whose models of the
same points are
then shown in the same run.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steelyard.api import SteelyardError, UsageError
from steelyard.api.scaling import (
    Expectation,
    Question,
    ScalingModel,
    Series,
    half_deviation,
    model_all,
    parse_growth,
    rank_growth,
    read_series,
    series_of,
)

HERE = Path(__file__).parent
EXPECTED = {
    "Barrier": "log p",
    "Bcast": "log p",
    "Reduce": "log p",
    "Allreduce": "log p",
    "Gather": "p",
    "Allgather": "p",
    "Alltoall": "p log p",
}
SIGNS = {"match": "✓", "approximate": "≈", "none": "✗", "undecided": "?"}
KEPT = (
    "system",
    "operation",
    "rank_by_paper",
    "growth_by_paper",
    "faster_by_paper",
    "rank",
    "growth",
    "faster",
    "inside",
    "points",
    "segments",
    "over_open_at_512",
    "most_over_open",
    "change_over_open",
    "growth_of_means",
    "growth_of_least",
)
"""Columns of authors.csv. Ranks and terms are of medians; the last two are terms by the paper's method of
means and of the least of all repetitions. The three before are of median latencies over Open MPI's: at
p = 512, the largest, and how many times larger at 512 than at 32.
"""
SYSTEMS = {"IntelMPI": "Intel MPI", "OpenMPI": "Open MPI"}


@dataclass(frozen=True, slots=True)
class Cell:
    """A published cell, as the table has it."""

    table: str
    system: str
    function: str
    parameter: str
    expectation: str
    deviation: str
    model: str
    divergence: str
    rank: str
    constant_bytes: str
    note: str


def published() -> list[Cell]:
    """All cells of Tables 4, 5, 6, 7 and 10."""
    with (HERE / "published.csv").open(encoding="utf-8", newline="") as file:
        return [Cell(**row) for row in csv.DictReader(file)]


def disagreements(cells: list[Cell]) -> list[str]:
    """Cells whose printed divergence or rank is not what the paper's own rule gives."""
    out = []
    for cell in cells:
        expectation, model = (
            parse_growth(cell.expectation, cell.parameter),
            parse_growth(cell.model, cell.parameter),
        )
        deviation = (
            parse_growth(cell.deviation, cell.parameter) if cell.deviation else half_deviation(expectation)
        )
        ours = rank_growth(model, expectation, deviation)
        divergence = model / expectation
        if ours != cell.rank or divergence != parse_growth(cell.divergence, cell.parameter):
            sentence = f"printed δ = O({cell.divergence}), {SIGNS[cell.rank]}"
            rule = f"by its rule {divergence.big_o(cell.parameter)}, {SIGNS[ours]}"
            out.append(
                f"  Table {cell.table}, {cell.system}, {cell.function}: {sentence}; {rule}. {cell.note}"
            )
    return out


def collectives(path: Path, statistic: str = "median") -> list[Series]:
    """Medians of each operation, or another statistic, with the standard error that quartiles give."""
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    out = []
    for mpi, operation in dict.fromkeys((row["mpi"], row["variable"]) for row in rows):
        selection = [row for row in rows if (row["mpi"], row["variable"]) == (mpi, operation)]
        u = [1.25 * float(row["iqr"]) / 1.349 / math.sqrt(float(row["N"])) * 1e-6 for row in selection]
        out.append(
            series_of(
                f"{mpi}/{operation.removeprefix('MPI_')}", ["p"],
                [[float(row["Ranks"])] for row in selection],
                [[float(row[statistic]) * 1e-6] for row in selection], metric="latency_s", unit="s", u=u,
                n=[1] * len(selection),
            )
        )  # fmt: skip
    return out


def models_of(series: list[Series], question: Question) -> list[ScalingModel]:
    """Models; a series without one ends the study."""
    answers = model_all(series, question)
    for answer in answers:
        if not isinstance(answer, ScalingModel):
            raise UsageError(
                f"{answer.name}: {answer.reason}", hint="are these the data that README.md names?"
            )
    return [answer for answer in answers if isinstance(answer, ScalingModel)]


def peer_leads(python: Path, series: list[Series]) -> list[str]:
    """What Extra-P says of the same medians."""
    sys.path.insert(0, str(HERE.parents[1] / "benchmarks" / "scaling"))
    import extra_p

    points = np.array([[point.at[0]] for point in series[0].points])
    values = np.array([[point.values for point in item.points] for item in series])
    models, _ = extra_p.run(python, points, values, points[-1:])
    return [f"O({_power(*model.exponents[0])})" if any(model.exponents[0]) else "O(1)" for model in models]


def _power(power: float, log: float) -> str:
    parts = [f"p^{power:.2f}"] if power else []
    return " ".join(parts + ([f"log^{log:g} p"] if log else []))


def show_collectives(path: Path, peer: Path | None) -> None:
    """Our rank of every operation beside Table 6, and beside Extra-P's term."""
    series = collectives(path)
    expectations = {item.name: Expectation(EXPECTED[item.name.split("/")[1]], "p^0.5") for item in series}
    ours = models_of(series, Question(expectations=expectations, scale={"p": 4096}))
    least = models_of(series, Question(method="seed001", space="wide", expectations=expectations))
    theirs = peer_leads(peer, series) if peer else ["–"] * len(series)
    printed = {(cell.system, cell.function): cell for cell in published() if cell.table == "6"}
    print("\nCollectives, p = 32 … 512 (one launch a point), D = p^0.5")
    print(
        f"  {'operation':<20} {'Table 6':<20} {'seed001 here':<22} {'Extra-P':<18} {'Steelyard':<18}"
        " rank  probability"
    )
    agree: Counter[str] = Counter()
    for item, old, extra in zip(ours, least, theirs, strict=True):
        mpi, operation = item.name.split("/")
        cell = printed.get((SYSTEMS[mpi], operation))
        v, w = item.validation, old.validation
        if v is None or w is None:
            continue
        cell_text = f"{SIGNS[cell.rank]} O({cell.model})" if cell else "– (not in the table)"
        p = max(v.probability.match, v.probability.approximate, v.probability.none)
        text = f"{SIGNS[w.rank]} {old.growth()}"
        print(
            f"  {item.name:<20} {cell_text:<20} {text:<22} {extra:<18} {item.growth():<18}"
            f" {SIGNS[v.rank]}     {p:.2f}"
        )
        if cell:
            agree["undecided" if v.rank == "undecided" else "agree" if v.rank == cell.rank else "differ"] += 1
            agree["seed001 agree" if w.rank == cell.rank else "seed001 differ"] += 1
    total = agree["agree"] + agree["differ"] + agree["undecided"]
    print(
        f"  of {total} cells of Table 6: {agree['agree']} agree, {agree['differ']} differ,"
        f" {agree['undecided']} undecided;"
    )
    print(f"  with the published method {agree['seed001 agree']} agree, {agree['seed001 differ']} differ")


def keep(path: Path) -> None:
    """Write ``authors.csv``: ranks of the authors' measurements by both methods, and ratios of libraries.

    Of the measurements themselves nothing is kept but ratios.
    """
    series = collectives(path)
    expectations = {item.name: Expectation(EXPECTED[item.name.split("/")[1]], "p^0.5") for item in series}
    ours = models_of(series, Question(expectations=expectations))
    published_method = Question(method="seed001", space="wide", expectations=expectations)
    least = models_of(series, published_method)
    variants = [models_of(collectives(path, name), published_method) for name in ("mean", "min")]
    medians = {item.name: {int(p.at[0]): p.values[0] for p in item.points} for item in series}
    with (HERE / "authors.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(KEPT)
        for new, old, *of_statistics in zip(ours, least, *variants, strict=True):
            mpi, operation = new.name.split("/")
            beside = medians[f"OpenMPI/{operation}"]
            ratios = [time / beside[p] for p, time in medians[new.name].items()]
            cells = [cell for model in (old, new) for cell in _describe(model)]
            segmented = any(warning.kind == "segments" for warning in new.warnings)
            inside = new.validation.probability.within if new.validation else 0.0
            numbers = [
                f"{inside:.3f}",
                str(len(ratios)),
                int(segmented),
                *(f"{r:.4g}" for r in (ratios[-1], max(ratios), ratios[-1] / ratios[0])),
            ]
            terms = [str(model.growth()) for model in of_statistics]
            writer.writerow([SYSTEMS[mpi], operation.lower(), *cells, *numbers, *terms])


def _describe(model: ScalingModel) -> tuple[str, str, int]:
    """Rank, growth, and whether that is faster than expected."""
    checked = model.validation
    if checked is None:
        raise UsageError(f"{model.name}: nothing is expected", hint="name an expectation")
    faster = checked.divergence.at(2.0**40) > checked.divergence.at(2.0**20)
    return checked.rank, str(model.growth()), int(faster)


def show_lulesh(path: Path) -> None:
    """Visits that follow c + a·p^(1/3)·size, and the time against size⁴·p^(1/3)."""
    series = [item for item in read_series(path) if item.metric in ("visits", "time")]
    result = models_of(series, Question(targets=({"p": 1000.0, "size": 50.0},)))
    expected = (parse_growth("p^(1/3)"), parse_growth("s", "s"))
    visits = [item for item in result if item.metric == "visits"]
    agreeing = [visit for visit in visits if visit.lead == expected and len(visit.terms) == 1]
    flat = [item for item in visits if not item.terms]
    print(
        f"\nLULESH, visits of {len(visits)} call paths: {len(agreeing)} follow c + a·p^(1/3)·size,"
        f" {len(flat)} are constant"
    )
    for item in visits:
        print(f"  {item.name.rsplit('->', 1)[-1].split('(')[0]:<42} {item.text()}")
    main = next(item for item in result if item.metric == "time" and item.name.endswith("main(int, char**)"))
    measured = next(s for s in series if s.metric == "time" and s.name == main.name)
    f = np.array([size**4 * p ** (1 / 3) for p, size in (point.at for point in measured.points)])
    y = np.array([np.mean(point.values) for point in measured.points])
    slope, constant = np.polyfit(f, y, 1, w=1 / y)
    value = constant + slope * 50**4 * 10
    low, high = main.predictions[0].low, main.predictions[0].high
    if low is None or high is None:
        raise UsageError("no interval", hint="use the default method")
    print(f"LULESH, time of main: {main.text()}")
    inside = "inside" if low <= value <= high else "OUTSIDE"
    print(
        f"  c + a·size⁴·p^(1/3) gives {value:.0f} s at p = 1000, size = 50:"
        f" {inside} our [{low:.0f}, {high:.0f}] s"
    )


def main() -> int:
    """Everything for which there are data."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--collectives", type=Path)
    parser.add_argument("--lulesh", type=Path)
    parser.add_argument("--peer", type=Path)
    parser.add_argument("--keep", action="store_true", help="write authors.csv from --collectives")
    options = parser.parse_args()
    cells = published()
    result = disagreements(cells)
    print(
        f"Published ranks: {len(cells)} cells,"
        f" {len(cells) - len(result)} as the rule of the paper gives them,"
        f" {len(result)} not:"
    )
    print("\n".join(result))
    try:
        if options.collectives and options.keep:
            keep(options.collectives)
        elif options.collectives:
            show_collectives(options.collectives, options.peer)
        if options.lulesh:
            show_lulesh(options.lulesh)
    except (SteelyardError, OSError) as error:
        print(f"error: {error}\n\nhint: README.md says where the data are published", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
