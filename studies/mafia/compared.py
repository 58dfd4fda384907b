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
from declarations import Cause, Data, Declaration, Judge, Verdict  # noqa: E402
from parts import SIGNS  # noqa: E402
from printed_ranks import beside_printed, declare_printed, follow_rule, ranks_are  # noqa: E402
from rank_claims import Cell, Points, by_ours, by_paper, declare_rank, medians  # noqa: E402

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


def table_7() -> dict[str, dict[str, str]]:
    """Published cells by function."""
    file = HERE.parent / "scalability-validation" / "published.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        return {line["function"]: line for line in csv.DictReader(lines) if line["table"] == "7"}


def _cells() -> Iterator[tuple[Statement, Declaration]]:
    """Table 7, a row a cell: the paper's own code decides, our program's times and counts stand beside."""
    for function, line in table_7().items():
        cell = Cell(line["rank"], line["expectation"], "k", of.SPACE, growth=line["model"])
        limits: dict[Verdict, Cause] = {"fails": CLOCK} if function == "dedup" else {}
        name = f"{function}-code"
        declared = declare_rank(name, OF_CODE[function], cell, (CODE, PHASES), RUN_CODE, limits=limits)
        assert declared.by_ours is not None  # noqa: S101
        yield (
            Statement(
                name,
                "§ 4, Table 7",
                "cell",
                f"{function}, expected O({line['expectation']})",
                f"{SIGNS[line['rank']]} O({line['model']})",
            ),
            declared._replace(by_ours=of.with_our_program(declared.by_ours, beside_it(function, cell))),
        )


def beside_it(function: str, cell: Cell) -> dict[str, Judge]:
    """What our program gives of a phase: times, and counts by their form where they follow one."""
    counts = by_ours(f"{function}-count", OF_COUNTS[function], cell, RUN)
    if function in of.FORMS:
        counts = of.by_form(function, OF_COUNTS[function], cell, RUN)
    return {
        "time": by_ours(f"{function}-time", OF_TIMES[function], cell, RUN),
        COUNTED[function]: counts,
    }


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
    declare_printed(
        "inside",
        "each rank of Table 7 is match or approximate",
        beside_printed(
            ranks_are("7", ("Juropa",), (), ("match", "approximate")), of.inside("posterior", OF_CODE)
        ),
        remark="here: the paper's own code, by the posterior",
    ),
    declare_printed(
        "rule-of-ranks",
        "each δ is the model over the expectation, each rank that of half of the expectation",
        follow_rule("7"),
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
            " expected. Subsequences"
            f" are 3 (k 2^(k−1) − k) exactly. Merges exceed their closed form by {excess:.0f} of"
            f" {merges[k]:,.0f} at k = {k}."
        )
    ]
