"""What the runs of the ten NAS programs say of each statement of Nogueira and Matias 2014.

By the paper's method: the protocol, runs one treatment after the other, by a clock that tells them. By ours:
the default analysis of randomised blocks.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []

import claims_of_pairs as pairs  # noqa: E402
import claims_of_tables as printed  # noqa: E402
from beside import read_statements  # noqa: E402
from chance import Agreement, compare_with_chance  # noqa: E402
from claims_of_pairs import MEASURED, RUN, SUMMARY, TOLERANCE, of, percent, published  # noqa: E402
from declarations import Cause, Data, Declaration, Judge  # noqa: E402
from printed_ranks import beside_printed  # noqa: E402
from readme_tables import write_table  # noqa: E402

TITLE: Final = "execution time variability"
PAPER: Final = (
    "P. E. Nogueira and R. Matias Jr., *A Quantitative Study on Execution Time Variability in Computing"
    " Experiments*, 2014."
)
ABOUT: Final = (
    "Ours: the paper's ten programs, from the reference tree of NPB 3.3.1 (OpenMP) by gfortran and "
    "gcc 12, of the smallest class that runs for 20 ms (S, and W for MG), on two virtual CPUs. The "
    "paper's method is its protocol on runs in its order, one treatment after the other; ours is the "
    "default analysis of randomised blocks. The paper had 32 cores. The response that decides is "
    "`elapsed_s` by `time`, the paper's. It has steps of 10 ms and is to be trusted to 1 % from a second on"
    " ([timing-procedures](../timing-procedures/README.md)); most of these runs take less than a tenth of"
    " that, which was our choice, so that many values are equal and pairs count as the same. `wall_s`, the"
    " runner's clock, stands beside. Percentages within 15 points count "
    "as the same: with ten programs a cell has steps of 10. LU is left out of experiment 3, since its"
    " threads spin for seconds where they outnumber the CPUs; random sizes and waiting threads are "
    "those of our five kernels ([workloads/npb](../../workloads/README.md#npb), class W)."
)
CLOCKS: Final = {"nas": "elapsed_s", "npb": "elapsed_s"}
"""The response that decides, by programs: the paper's, in steps of 10 ms, of runs of 30 ms and more."""
PLACEMENTS: Final = {"SA": "none", "CP": "compact", "SC": "scatter"}
TREATMENTS: Final = {
    "RL3O2": "none,O2",
    "RL3O3": "none,O3",
    "RL5O2": "cpu x2 10%,O2",
    "RL5O3": "cpu x2 10%,O3",
} | {f"{short}{n}TH": f"{n},{name}" for short, name in PLACEMENTS.items() for n in (2, 4, 6)}


class Cell(NamedTuple):
    """Programs whose treatments differ, of so many."""

    programs: int
    before: int
    after: int


def measured(part: str, metric: str = "") -> dict[tuple[str, str, str], Cell]:
    """Cells of a part, by optimisation and the two treatments in the order of their names."""
    programs = part.partition("-")[0]
    with (HERE / f"{programs}-measured.csv").open(newline="", encoding="utf-8") as file:
        return {
            (line["stratum"], *sorted((line["first"], line["second"]))): Cell(
                int(line["programs"]), int(line["before"]), int(line["after"])
            )
            for line in csv.DictReader(file)
            if line["part"] == part and line["metric"] == (metric or CLOCKS[programs])
        }


@cache
def read_parts(programs: str) -> dict[str, Any]:
    """What was found of every part, by metric."""
    parts: dict[str, Any] = json.loads((HERE / f"{programs}-summary.json").read_text(encoding="utf-8"))
    return parts


def summary() -> dict[str, Any]:
    """Counts, tests and effects of every part, by the clock of its programs."""
    return {
        name: part[clock]
        for programs, clock in CLOCKS.items()
        for name, part in read_parts(programs).items()
        if clock in part
    }


ROWS_OF_SIZES, BLOCKS_OF_SIZES = (f"values/nas-environment-{order}.csv" for order in ("rows", "blocks"))
SHORT: Final = Cause("machine", "runs of 30 ms and more by a clock with steps of 10", RUN)
LEVELS: Final = Cause("stand-in", "a load of 10 % in place of a runlevel, and runs of 30 ms", RUN)
ELSEWHERE: Final = Cause("machine", "sizes that change nothing here may change times on another one", RUN)
CPUS: Final = Cause("machine", "two CPUs have fewer placements than 32 cores", RUN)
TABLES: Final = (
    ("table-3", "3", "", "services", "before"),
    ("table-4", "4", "", "services", "after"),
    ("table-5-O2", "5", "O2", "environment", "before"),
    ("table-5-O3", "5", "O3", "environment", "before"),
    ("table-6-O2", "6", "O2", "environment", "after"),
    ("table-6-O3", "6", "O3", "environment", "after"),
    ("table-7", "7", "", "affinity", "before"),
    ("table-8", "8", "", "affinity", "after"),
)


def _stated_removed() -> dict[str, float]:
    """What Holm removes of each program's findings, as published, in percent."""
    return {
        " ".join(statement.id.split("-")[1:]): float(statement.published.removesuffix("%"))
        for statement, reason in read_statements(HERE)
        if statement.id.startswith("false-") and not reason
    }


def _tables() -> Iterator[Declaration]:
    """Tables 3 to 8, by the mean share of pairs that differ; the environment's beside one treatment."""
    limits: dict[str, Cause] = {"services": LEVELS, "environment": SHORT, "affinity": CPUS}
    for name, table, opt, part, key in TABLES:
        stated = pairs.mean_of(table, opt)
        rows = f"nas-{part}-rows"
        control = None
        if part == "environment":
            control = pairs.interval_is_near(stated, "nas-environment-null-rows", "", key)
        yield Declaration(
            name,
            "measured",
            (SUMMARY,),
            "the mean share of pairs in rows, within 15 points",
            pairs.mean_is_near(stated, rows, opt, key),
            "so is its 95 % interval over programs",
            pairs.interval_is_near(stated, rows, opt, key),
            control,
            limits={"fails": limits[part]},
            remark="control: one treatment eight times" if control else "",
        )


def _removed() -> Iterator[Declaration]:
    """What Holm removes of each program's findings."""
    for name, stated in _stated_removed().items():
        yield Declaration(
            f"false-{name.replace(' ', '-')}",
            "measured",
            (SUMMARY,),
            "the share that Holm removes, within 15 points",
            pairs.removed_is_near(stated, name),
            "so does its exact interval",
            pairs.removed_interval(stated, name, SHORT),
            limits={"fails": SHORT},
        )


def _printed(name: str, rule: str, recomputed: Judge, ours: Judge) -> Declaration:
    """A sentence about tables of the paper, decided by these."""
    return Declaration(
        name,
        "recomputed",
        (printed.PRINTED,),
        rule,
        recomputed,
        "as printed",
        beside_printed(recomputed, ours),
        origin="the authors' data",
    )


DECLARATIONS: Final = (
    *_tables(),
    *_removed(),
    Declaration(
        "stack",
        "measured",
        (SUMMARY, pairs.BUILT),
        "more pairs of sizes differ in rows after Holm than of one treatment",
        pairs.more_than_null,
        "in blocks, more pairs of random sizes of a program built for it differ than 5 % (binomial test)",
        pairs.stack_moves,
        remark="at sizes that are no multiples of 64; the paper's eight cannot show it",
    ),
    Declaration(
        "holm",
        "measured",
        (SUMMARY,),
        "at most 5 % of families of one treatment keep a false finding, in the paper's order",
        pairs.family_error,
        "so does the exact interval of that share",
        pairs.family_error_interval,
        remark="in the paper's order Holm cannot correct what drifts; in random order it holds",
    ),
    Declaration(
        "prevented",
        "measured",
        (SUMMARY,),
        "at most 5 % of pairs of one treatment stay different after Holm",
        pairs.none_in("nas-environment-null-rows"),
        "so do at most 5 % of families (exact interval)",
        pairs.family_error_interval,
        remark="Holm corrects for many tests, each of which must be right by itself",
    ),
    Declaration(
        "sizes-matter",
        "measured",
        (SUMMARY,),
        "more than 5 % of pairs of sizes differ in rows after Holm",
        pairs.any_in("nas-environment-rows"),
        "in randomised blocks, too",
        pairs.any_in("nas-environment-blocks"),
        pairs.any_in("nas-environment-null-rows"),
        limits={"fails": ELSEWHERE},
        remark="control: one treatment eight times, in rows",
    ),
    Declaration(
        "optimisation",
        "measured",
        (SUMMARY, MEASURED),
        "90 % of cells of two optimisations, within 15 points",
        pairs.cells_are_near(90, optimisation=True),
        "the effect is resolved in most programs, in blocks (exact interval)",
        pairs.effects_are_near(50, 100, "opt"),
        limits={"fails": Cause("stand-in", "gcc 12 in place of 4.7, and runs of 30 ms", RUN)},
    ),
    Declaration(
        "services",
        "measured",
        (SUMMARY, MEASURED),
        "50 % of cells of one optimisation, within 15 points",
        pairs.cells_are_near(50, optimisation=False),
        "the effect is resolved in such a share of programs, in blocks (exact interval)",
        pairs.effects_are_near(35, 65, "background_load"),
        limits={"fails": LEVELS},
    ),
    Declaration(
        "services-matter",
        "measured",
        (SUMMARY, MEASURED),
        "more than 5 % of pairs of one optimisation differ after Holm",
        pairs.level_matters,
        "the effect of the load is resolved in a program, in blocks (Holm over effects)",
        pairs.any_effect("background_load"),
        limits={"fails": LEVELS},
        remark="as a load of 10 % on both CPUs",
    ),
    *(
        _printed(
            name,
            "one cell is lower by one program",
            printed.one_in(before, after, share),
            pairs.holm_changes(f"nas-{part}-rows", 1),
        )
        for name, before, after, share, part in (
            ("holm-1", "3", "4", 33.33, "services"),
            ("holm-3", "7", "8", 3.03, "affinity"),
        )
    ),
    *(
        Declaration(
            f"tests-{number}",
            "measured",
            (SUMMARY,),
            f"at least {least} % of comparisons by Mann-Whitney{', none by Welch' if number == 1 else ''}",
            pairs.mostly_ranks(least, f"nas-{part}-rows", welch=number != 1),
            "so by `wall_s`, which has no steps",
            pairs.mostly_ranks(least, f"nas-{part}-rows", metric="wall_s", welch=number != 1),
            limits={"fails": SHORT},
        )
        for number, part, least in ((1, "services", 90), (2, "environment", 70))
    ),
    *(
        Declaration(
            name,
            "measured",
            (SUMMARY,),
            f"Student's and Welch's tests are used, for at most {student} and {welch} %",
            pairs.means_are_used(f"nas-{part}-rows", student, welch),
            "so by `wall_s`, which has no steps",
            pairs.means_are_used(f"nas-{part}-rows", student, welch, "wall_s"),
            limits={"fails": limit},
        )
        for name, part, student, welch, limit in (
            ("tests-2-means", "environment", 30, 10, SHORT),
            ("tests-3", "affinity", 30, 40, CPUS),
        )
    ),
    Declaration(
        "no-size",
        "measured",
        (ROWS_OF_SIZES, BLOCKS_OF_SIZES),
        "no size is slowest or fastest in more than half of programs and optimisations, in rows",
        pairs.no_size_by_count("nas-environment-rows"),
        "nor is it in blocks (exact interval)",
        pairs.no_size_by_interval("nas-environment-blocks"),
        remark="a size that shares its mean with another by the clock's steps is neither",
    ),
    Declaration(
        "not-gaussian",
        "measured",
        (SUMMARY,),
        "most comparisons find a sample that is not normal",
        pairs.mostly_ranks(50, "nas-services-rows", "nas-environment-rows"),
        "so by `wall_s`, which has no steps",
        pairs.mostly_ranks(50, "nas-services-rows", "nas-environment-rows", metric="wall_s"),
    ),
    _printed(
        "over-20",
        "every cell of Table 5 has 20 % or more",
        printed.least("5", 20, ("O2", "O3")),
        pairs.least_share("nas-environment-rows", 20, ("O2", "O3")),
    ),
    _printed(
        "0-2048",
        "its cells in Table 5 are 20 and 70 %",
        printed.cell_is("5", ("0", "2048"), {"O2": 20, "O3": 70}),
        pairs.more_at_o3,
    ),
    *(
        _printed(
            f"holm-2-{opt}",
            f"{stated} cells of Table 6 are lower than in Table 5",
            printed.lowered("5", "6", stated, opt),
            pairs.holm_lowers(opt, stated),
        )
        for opt, stated in (("O2", 26), ("O3", 23))
    ),
    *(
        Declaration(
            f"sum-{opt}",
            "recomputed",
            (printed.PRINTED, printed.STATEMENTS),
            "whole numbers of findings have these shares and add up to Tables 5 and 6",
            printed.adds_up(opt),
            "as printed",
            printed.adds_up(opt),
            origin="the authors' data",
            remark="cells and shares as in the text at hand; with ten programs a cell is a whole number",
        )
        for opt in ("O2", "O3")
    ),
    _printed(
        "over-60",
        "every cell of Table 7 has 60 % or more",
        printed.least("7", 60),
        pairs.least_share("nas-affinity-rows", 60),
    ),
    Declaration(
        "affinity-matters",
        "measured",
        (SUMMARY,),
        "more than 5 % of pairs differ in rows after Holm",
        pairs.any_in("nas-affinity-rows"),
        "more than 5 % of pairs by the default analysis of blocks (t over programs)",
        pairs.share_beyond("nas-affinity-blocks", "default", 5),
    ),
    Declaration(
        "up-to-100",
        "measured",
        (SUMMARY,),
        "Holm removes all findings of a program",
        pairs.all_removed(pairs.RESPONSE, 1),
        "of one with at least four",
        pairs.all_removed(pairs.RESPONSE, 4),
    ),
    *(
        Declaration(name, "set-up", remark=remark)
        for name, remark in (
            ("table-1", "two processes at 10 %, or none, in place of runlevels; -O2 and -O3"),
            ("table-2", "2, 4, 6 threads; on two CPUs compact and scatter are one placement"),
            ("figure-1", "part of the laboratory, and applied as drawn"),
            ("figure-2", "another machine: `topology.txt`"),
            ("runs", "31, the first discarded; 30 blocks"),
            ("sizes", "as published, and random ones"),
            ("level", "as published"),
            ("time-program", "`elapsed_s` by `time`, in steps of 10 ms; trusted to 1 % from a second on"),
            ("procedures", "answered by [timing-procedures](../timing-procedures/README.md), on one machine"),
        )
    ),
)


TABLES_OF_PAIRS: Final = (
    ("3", "", "services", False),
    ("4", "", "services", True),
    ("5", "O2", "environment", False),
    ("5", "O3", "environment", False),
    ("6", "O2", "environment", True),
    ("6", "O3", "environment", True),
    ("7", "", "affinity", False),
    ("8", "", "affinity", True),
)
"""Table, optimisation, part, and whether Holm's procedure is applied."""


def grids() -> dict[str, str]:
    """Cells of Tables 3 to 8, published beside ours in the paper's order."""
    result = {}
    for table, opt, part, holm in TABLES_OF_PAIRS:
        stated = published(table, opt)
        clocks = [measured(f"nas-{part}-rows", metric) for metric in ("elapsed_s", "wall_s")]
        names = list(dict.fromkeys(name for pair in stated for name in pair))
        rows = []
        for i, first in enumerate(names[:-1]):
            row = [first]
            for j, second in enumerate(names[1:], 1):
                if j <= i:
                    row.append("")
                    continue
                pair = sorted(TREATMENTS.get(name, name) for name in (first, second))
                cells = [clock[opt, pair[0], pair[1]] for clock in clocks]
                values = [percent(cell.after if holm else cell.before, cell.programs) for cell in cells]
                row.append(" / ".join(f"{value:.0f}" for value in (stated[first, second], *values)))
            rows.append(row)
        table_of = f"Table {table}{f', -{opt}' if opt else ''}"
        title = f"{table_of}, percent of programs: published / ours by `elapsed_s` / by `wall_s`, in rows"
        result[title] = write_table(["", *names[1:]], rows)
    return result


def agreements() -> Iterator[Agreement]:
    """Percentages of Tables 3 to 8 beside ours by the paper's response, and beside ours shuffled; then what
    Holm removes of each program's findings.
    """

    def agrees(stated: float, ours: float) -> bool:
        return abs(stated - ours) <= TOLERANCE

    for table, opt, part, holm in TABLES_OF_PAIRS:
        stated, by_time = published(table, opt), measured(f"nas-{part}-rows", "elapsed_s")
        cells = []
        for pair, share in stated.items():
            cell = by_time[opt, *sorted(TREATMENTS.get(name, name) for name in pair)]
            cells.append((share, percent(cell.after if holm else cell.before, cell.programs)))
        title = f"Table {table}{f', -{opt}' if opt else ''}, percent ± {TOLERANCE}, by `elapsed_s`"
        yield compare_with_chance(title, cells, agrees)
    rows = summary()["nas-environment-rows"]["programs"]
    shares = [
        (stated_share, percent(row["before"] - row["after"], row["before"]))
        for name, stated_share in _stated_removed().items()
        if (row := rows[name])["before"]
    ]
    yield compare_with_chance(f"Holm's shares by program, ± {TOLERANCE}", shares, agrees)


def head() -> list[str]:
    """What stands on top of the README: pairs called different, by the paper's response."""
    every = summary()
    rows = []
    for name, part in (
        ("services × optimisation", "services"),
        ("environment × optimisation", "environment"),
        ("… with random sizes, five kernels of ours, `elapsed_s`", "environment-random"),
        ("… **null: one treatment, eight times**", "environment-null"),
        ("affinity × threads", "affinity"),
        ("… of these, compact against scatter, which are the same", "compact"),
        ("waiting × neighbour, five kernels of ours, `elapsed_s`", "waiting"),
    ):
        kind = "npb" if part in {"environment-random", "waiting"} else "nas"
        sets_of_pairs = [
            same_placement(order) if part == "compact" else every.get(f"{kind}-{part}-{order}")
            for order in ("rows", "blocks")
        ]
        pairs = next(entry["pairs"] for entry in sets_of_pairs if entry)
        counts = [str(item[key]) if item else "" for item in sets_of_pairs for key in ("before", "after")]
        default = (
            str(sets_of_pairs[1]["default"]) if sets_of_pairs[1] and "default" in sets_of_pairs[1] else ""
        )
        rows.append([name, str(pairs), *counts, default])
    table = write_table(
        (
            *(
                "NAS programs, by `elapsed_s`",
                "pairs",
                "in rows, as the paper",
                "Holm",
                "in blocks",
                "after Holm",
            ),
            "default analysis of the blocks",
        ),
        rows,
    )
    parts = read_parts("nas")
    sizes, null = (parts[f"nas-environment-{part}"] for part in ("rows", "null-rows"))
    texts = {
        clock: f"{of(part['before'], part['pairs'])} of pairs, {of(part['after'], part['pairs'])} after Holm"
        for clock, part in {
            "null": null["elapsed_s"],
            "sizes": sizes["elapsed_s"],
            "null by the runner": null["wall_s"],
            "sizes by the runner": sizes["wall_s"],
        }.items()
    }
    return [
        table,
        (
            f"**In the paper's order, one treatment eight times differs from itself in {texts['null']}. Eight"
            f" sizes of the environment differ in {texts['sizes']}.** So what that order calls an effect of"
            " the environment is there without one. That is by `elapsed_s` of `time`, the paper's response."
            " Its steps of 10 ms do not tell many of these runs of 30 ms to 1.4 s apart. By `wall_s`, the"
            " runner's clock, one treatment differs in"
            f" {texts['null by the runner']}. Sizes differ in {texts['sizes by the runner']}."
        ),
        "The machine (`topology.txt`, in place of the paper's Figure 2):",
        "```text\n" + (HERE / "topology.txt").read_text(encoding="utf-8").rstrip() + "\n```",
    ]


def same_placement(order: str) -> dict[str, int]:
    """Pairs of compact and scatter at the same number of threads, one placement by two names on two CPUs."""
    cells_of = measured(f"nas-affinity-{order}")
    chosen = [cells_of["", f"{n},compact", f"{n},scatter"] for n in (2, 4, 6)]
    return {
        "pairs": sum(cell.programs for cell in chosen),
        "before": sum(cell.before for cell in chosen),
        "after": sum(cell.after for cell in chosen),
    }


def findings() -> list[str]:
    """What the paper did not know."""
    every = summary()
    rows, null = every["nas-environment-rows"], every["nas-environment-null-rows"]
    blocks = every["nas-environment-blocks"]
    data = Data(HERE)
    first, second = (printed.cells(data, table, "O3") for table in ("5", "6"))
    before, after = sum(first.values()), sum(second.values())
    allowed = [last for total, last in printed.totals(data, "O3") if total == before]
    equal = sum(first[pair] == second[pair] for pair in first)
    return [
        (
            "Execution time variability: in the published order of runs, eight copies of **one**"
            " treatment give"
            f" {percent(null['before'], null['pairs']):.0f} % of pairs as different"
            f" ({percent(null['after'], null['pairs']):.0f} % after Holm). Eight sizes of the"
            " environment"
            f" give {percent(rows['before'], rows['pairs']):.0f} %"
            f" ({percent(rows['after'], rows['pairs']):.0f} %), and in randomised blocks"
            f" {percent(blocks['before'], blocks['pairs']):.0f} % and {blocks['after']}. The order, not the"
            " environment, makes most of its Table 5 on this machine."
        ),
        (
            "The paper's own numbers do not all agree. At -O3 the ten shares of false positives leave"
            f" {min(allowed)} to {max(allowed)} of {before} findings, but its Table 6 has {after}. Of"
            f" {len(first)} pairs of sizes Holm leaves {equal} alone, where its sentence names five."
        ),
    ]
