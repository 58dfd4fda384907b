"""Each statement of § 4 as a declaration: models over k of times and counts, ours and the paper's."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []

import claims_of_phases as of  # noqa: E402
from beside import Statement  # noqa: E402
from chance import Agreement, compare_with_chance  # noqa: E402
from claims_of_phases import CODE, PHASES, RUN, RUN_CODE  # noqa: E402
from declarations import Cause, Data, Declaration, Verdict  # noqa: E402
from parts import SIGNS  # noqa: E402
from rank_claims import Cell, Points, by_paper, declare_rank, medians  # noqa: E402

TITLE: Final = "MAFIA"
PAPER: Final = (
    "S. Shudler et al., *Engineering Algorithms for Scalability through Continuous Validation of Performance"
    " Expectations*, IEEE TPDS 30(8), 2019, DOI 10.1109/TPDS.2019.2896993, § 4."
)
ABOUT: Final = (
    "Ours: [workloads/mafia](../../workloads/README.md), another program than the paper's, and the paper's"
    " own code as it is published, on two virtual CPUs; medians of three runs at k = 3 … 16 (`values/`)."
    " By the paper's method: least squares over its search space with factors to k⁴, which Table 7 has and"
    " its default lacks, D half of the expectation. By ours: the posterior over all formulas, and of counts"
    " that follow a closed form at all k, that form. A unit is a bit"
    " set in ours, so that joining and comparing take no factor k, and our program contradicts nothing that"
    " is said of the paper's."
)
OTHER: Final = Cause("stand-in", "another program than the paper's", RUN_CODE)
CLOCK: Final = Cause(
    "stand-in", "inside of gen, told from it by a clock that the paper may not have had", RUN_CODE
)
OF_TIMES: Final = {phase: medians(PHASES, "phase_s", "k", phase=phase) for phase in of.NAMES}
OF_COUNTS: Final = {
    "gen": medians(PHASES, "merges", "k"),
    **{
        phase: medians(PHASES, "phase_operations", "k", phase=phase)
        for phase in ("dedup", "pcount", "unjoin")
    },
}
OF_CODE: Final = {
    phase: medians(CODE, f"{phase}_s", "k", clock="split" if phase in ("gen", "dedup") else "theirs")
    for phase in of.NAMES
}
COUNTED: Final = {"gen": "merges", "dedup": "comparisons", "pcount": "words", "unjoin": "subsequences"}
BY_COUNTS: Final = {f"{function}-count" for function in COUNTED}
"""Cells that counts decide, which are those of any machine (``evidence.py``)."""


def table_7() -> dict[str, dict[str, str]]:
    """Published cells by function."""
    file = HERE.parent / "scalability-validation" / "published.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        return {line["function"]: line for line in csv.DictReader(lines) if line["table"] == "7"}


def _cells() -> Iterator[tuple[Statement, Declaration]]:
    for function, line in table_7().items():
        printed = f"{SIGNS[line['rank']]} O({line['model']})"
        cell = Cell(line["rank"], line["expectation"], "k", of.SPACE, growth=line["model"])
        expectation = f"expected O({line['expectation']})"
        stands_in: dict[Verdict, Cause] = {"fails": OTHER}
        clock: dict[Verdict, Cause] = {"fails": CLOCK} if function == "dedup" else {}
        declarations: tuple[tuple[str, str, str, Points, str, dict[Verdict, Cause]], ...] = (
            ("time", "time", printed, OF_TIMES[function], PHASES, stands_in),
            ("count", COUNTED[function], f"{printed} of its time", OF_COUNTS[function], PHASES, stands_in),
            ("code", "time of the paper's own code", printed, OF_CODE[function], CODE, clock),
        )
        for kind, named, published, points, file, limits in declarations:
            name = f"{function}-{kind}"
            declared = declare_rank(
                name, points, cell, (file,), RUN_CODE if file == CODE else RUN, limits=limits
            )
            if kind == "count" and function in of.FORMS:
                judged = of.by_form(function, points, cell, RUN)
                declared = declared._replace(
                    claim="the published rank by the closed form that the counts follow", by_ours=judged
                )
            yield (
                Statement(name, "§ 4, Table 7", "cell", f"{function}, {named}, {expectation}", published),
                declared,
            )


CELLS: Final = (*_cells(),)
DECLARATIONS: Final = (
    Declaration(
        "counted",
        "measured",
        (PHASES,),
        "models of counts have a larger R̄² than those of times",
        partial(of.counts_fit_better, OF_TIMES, OF_COUNTS),
        "counts are the same in all runs, times are not",
        of.counts_repeat,
        remark="counts show early levels, too",
    ),
    Declaration(
        "exponential",
        "measured",
        (PHASES, CODE),
        "each model by least squares has a factor 2^k",
        of.exponential("seed001", OF_TIMES, OF_COUNTS, OF_CODE),
        "so has each by the posterior",
        of.exponential("posterior", OF_TIMES, OF_COUNTS, OF_CODE),
    ),
    Declaration(
        "inside",
        "measured",
        (CODE,),
        "times of the paper's code match or are approximate, by least squares",
        of.inside("seed001", OF_CODE),
        "so are they by the posterior",
        of.inside("posterior", OF_CODE),
        remark="counts of our program grow less than is expected",
    ),
    Declaration(
        "figure-none",
        "measured",
        (PHASES,),
        "all planted clusters are found at every k",
        of.all_found,
        "and with a recall and a precision of .95 in every run",
        of.found_whole,
        remark="checked by planted clusters, which the paper's text does not say of its runs",
    ),
    Declaration("parameters", "set-up", remark="k = 3 … 16, three runs a point"),
    Declaration("algorithmic", "set-up", remark="a method: `model` over k, `steelyard check phases.toml`"),
)


def agreements() -> Iterator[Agreement]:
    """Ranks of Table 7 beside ours, and beside ours shuffled."""
    data = Data(HERE)
    for kind, points in (("times", OF_TIMES), ("counts", OF_COUNTS)):
        cells = [
            (Cell(line["rank"], line["expectation"], "k", of.SPACE, growth=line["model"]), function)
            for function, line in table_7().items()
        ]

        def agrees(
            printed: Cell, function: str, points: dict[str, Points] = points, kind: str = kind
        ) -> bool:
            expected = table_7()[function]["expectation"]
            name = f"{function}-{kind}-beside-{printed.printed}"
            cell = printed._replace(expectation=expected)
            return by_paper(name, points[function], cell)(data).verdict == "holds"

        yield compare_with_chance(f"Table 7, ranks of {kind}", cells, agrees)


def findings() -> list[str]:
    """What the paper did not know."""
    data = Data(HERE)
    merges = OF_COUNTS["gen"](data)
    k = int(max(merges))
    excess = merges[k] - 3 * k * (k - 1) * 2 ** (k - 3)
    # A count of clusters that were lost says nothing.
    assert of.found_whole(data).verdict == "holds"  # noqa: S101
    return [
        (
            "MAFIA: with a unit as a bit set no phase needs more than O(k² 2^k), where k³ and k⁴ are"
            " expected; subsequences"
            f" are 3 (k 2^(k−1) − k) exactly, and merges exceed their closed form by {excess:.0f} of"
            f" {merges[k]:,.0f} at k = {k}."
        )
    ]
