"""Each statement of § 5 as a declaration: our sorts on two simulated machines, and on real ranks."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []

import claims_of_sorts as of  # noqa: E402
from beside import Statement  # noqa: E402
from chance import Agreement, compare_with_chance  # noqa: E402
from claims_of_sorts import (  # noqa: E402
    FAT,
    FLAT,
    GROUPS,
    LOADS,
    MEMORY,
    RADIX_MINI,
    RANKS,
    REAL,
    ROUNDS,
    SCANS,
    SEQUENTIAL,
    SHARES,
    SIZES,
    SPLITTER_BASED,
)
from declarations import Cause, Data, Declaration  # noqa: E402
from parts import SIGNS  # noqa: E402
from printed_ranks import (  # noqa: E402
    all_of,
    beside_printed,
    declare_printed,
    differ_by,
    follow_rule,
    rank_counts,
    ranks_are,
    terms_are,
)
from rank_claims import Cell, Points, by_ours, by_paper, declare_rank  # noqa: E402
from readme_tables import rows_of  # noqa: E402

BY_COUNTS: Final = {"binary-tree"}
"""Decided by ranks of elements, which are those of any machine."""
TITLE: Final = "parallel sorting"
PAPER: Final = (
    "S. Shudler et al., *Engineering Algorithms for Scalability through Continuous Validation of Performance"
    " Expectations*, IEEE TPDS 30(8), 2019, DOI 10.1109/TPDS.2019.2896993, § 5."
)
ABOUT: Final = (
    "Ours: the whole of each sort on a flat machine and a fat tree, **both simulated**, p = 4 … 512, 1,000"
    " keys a process (100 for radix k = 8, 1 for mini) where the paper has 10^7 (`values/`). The flat machine"
    " stands beside Juqueen, whose collectives have hardware of their own, the fat tree beside Lichtenberg."
    " By the paper's method: least squares over its search space, D half of the expectation. Where O(log p)"
    " or O(log² p) is expected, it takes powers of p too and D = √p, since the printed models and ranks need"
    " both. By ours: the posterior over all formulas. A ✗ of less growth than expected is not a ✗ of more."
    " What is simulated contradicts nothing."
)
MACHINES: Final = {"Lichtenberg": FAT, "Juqueen": FLAT}
RUN: Final = ".venv/bin/python studies/parallel-sorting/study.py "
WHOLE: Final = {
    "Sample": (SPLITTER_BASED, {"algorithm": "sample", "schedule": "batched"}),
    "Histogram": (SPLITTER_BASED, {"algorithm": "histogram", "schedule": "batched"}),
    "Exact-splitting": (SEQUENTIAL, {}),
    "Radix k = 4": (RADIX_MINI, {"algorithm": "radix", "bits": "4"}),
    "Radix k = 8": (RADIX_MINI, {"algorithm": "radix", "bits": "8"}),
    "Mini": (RADIX_MINI, {"algorithm": "mini"}),
}
"""Where the times of the whole of a sort are: file and rows."""
ON_A_TORUS: Final = {
    "Exact-splitting": ("exact", "8"),
    "Radix k = 4": ("radix", "4"),
    "Radix k = 8": ("radix", "8"),
    "Mini": ("mini", "8"),
}
"""Sorts of part (o), with the bits of their digits."""


def table_10() -> list[dict[str, str]]:
    """Published cells."""
    file = HERE.parent / "scalability-validation" / "published.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        return [line for line in csv.DictReader(lines) if line["table"] == "10"]


def times(function: str, system: str) -> Points:
    """Times of the whole of a sort on the machine that stands beside a system."""
    file, selection = WHOLE[function]
    return of.read_points(file, **selection, **MACHINES[system])


def times_on_a_torus(function: str) -> Points:
    """Times of the whole of a sort on the torus of part (o)."""
    algorithm, bits = ON_A_TORUS[function]
    return of.read_points(SHARES, machine="torus", computing="calibrated", algorithm=algorithm, bits=bits)


def cell_of(line: dict[str, str]) -> Cell:
    """A published cell, with the space and the deviation that its expectation needs.

    A match whose printed model is not the expectation is what the paper's rule calls approximate.
    """
    unlike = line["rank"] == "match" and line["model"] != line["expectation"]
    printed = "approximate" if unlike else line["rank"]
    if line["expectation"].startswith("log"):
        return Cell(printed, line["expectation"], "p", "wide", "p^0.5", line["model"])
    return Cell(printed, line["expectation"], "p", growth=line["model"])


def _cells() -> Iterator[tuple[Statement, Declaration]]:
    """Table 10; beside cells of Juqueen a torus, its topology, where there are times."""
    for line in table_10():
        function, system = line["function"], line["system"]
        name, file = f"{system}-{function}", WHOLE[function][0]
        command = RUN + file.removeprefix("values/").removesuffix(".csv")
        declared = declare_rank(
            name,
            times(function, system),
            cell_of(line),
            (file,),
            command,
            limits={"fails": RANKS},
            origin="simulated",
            remark=f"the printed cell: {line['note']}" if line["note"] else "",
        )
        if system == "Juqueen" and function in ON_A_TORUS:
            assert declared.by_ours is not None  # noqa: S101
            torus = by_ours(f"{name}-torus", times_on_a_torus(function), cell_of(line), RUN + "shares")
            declared = declared._replace(by_ours=of.with_a_torus(declared.by_ours, torus))
        yield (
            Statement(
                name,
                "§ 5.3, Table 10",
                "cell",
                f"{function}, {system}, expected O({line['expectation']})",
                f"{SIGNS[line['rank']]} O({line['model']})",
            ),
            declared,
        )


CELLS: Final = (*_cells(),)
SPLITTERS: Final = {
    called: of.phase(SPLITTER_BASED, "splitters", algorithm="sample", schedule="batched", **machine)
    for called, machine in (("flat", FLAT), ("fat tree", FAT))
}
GROUPING: Final = {"groups by MPI_Comm_split": of.phase(GROUPS, "groups", groups="comm_split")}
PHASES_ON_RANGES: Final = {
    name: of.phase(GROUPS, name, groups="ranges") for name in ("pivot", "place", "exchange")
}
OF_MINI: Final = Cell("none", "log^2 p", "p", "wide", "p^0.25")
OF_MINI_SORT: Final = OF_MINI._replace(deviation="p^0.5")
INSIDE: Final = ("match", "approximate")


def _declare_ranks(
    name: str,
    file: str,
    rule: str,
    points: Mapping[str, Points],
    cell: Cell,
    allowed: Sequence[str],
    part: str,
) -> Declaration:
    """Declare ranks of which the paper's rule and our claim are the same, each by its own method.

    ``part`` of the study measures what would decide.
    """
    return Declaration(
        name,
        "measured",
        (file,),
        rule,
        of.ranked(name, points, cell, "seed001", allowed, ""),
        "so by the posterior",
        of.ranked(name, points, cell, "posterior", allowed, RUN + part),
        limits={"fails": RANKS},
        origin="simulated",
    )


DECLARATIONS: Final = (
    Declaration(
        "constant-local",
        "measured",
        (SCANS, SIZES),
        "times of the local sort at p = 4 … 128 differ by at most 5 %",
        of.constant,
        "it is O(1) in p by the posterior",
        of.ranked(
            "local",
            {"local sort": of.phase(SIZES, "local_sort", algorithm="histogram", keys="1000")},
            Cell("match", "1", "p", "default", "log p"),
            "posterior",
            ("match",),
            RUN + "sizes",
        ),
        origin="simulated",
    ),
    Declaration(
        "r-2",
        "measured",
        (ROUNDS,),
        "at most two rounds with 64 probes of a splitter",
        of.two_rounds(probes=of.MOST_PROBES),
        "at most two with 4 probes as well",
        of.two_rounds(),
        limits={"fails": of.PROBES},
        origin="simulated",
    ),
    Declaration(
        "same-distributions",
        "measured",
        (of.GAUSSIAN,),
        "one leading term by least squares",
        of.same_model("seed001"),
        "times at most 5 % apart at every p",
        of.same_times,
        limits={"fails": RANKS},
        origin="simulated",
    ),
    _declare_ranks(
        "sample-splitters",
        SPLITTER_BASED,
        "inside the limits of p² log p by least squares on both machines",
        SPLITTERS,
        Cell("match", "p^2 log p", "p"),
        INSIDE,
        "large",
    ),
    declare_printed(
        "histogram-better",
        "its cell on Juqueen is approximate and below O(p) in Table 10",
        beside_printed(
            all_of(
                ranks_are("10", ("Juqueen",), ("Histogram",), ("approximate",)),
                terms_are("10", ("Juqueen",), ("Histogram",), ("p^0.75", "p^0.5", "p^0.25")),
            ),
            of.ranked(
                "histogram-better",
                {"whole": times("Histogram", "Juqueen")},
                Cell("approximate", "p", "p"),
                "posterior",
                ("approximate",),
                RUN + "large",
            ),
        ),
        remark="here: on the flat machine, simulated",
    ),
    Declaration(
        "exact-collectives",
        "measured",
        (SPLITTER_BASED,),
        "one splitter after the other takes at least 5 × the time of all together at p = 64",
        of.accumulates,
        "the factor grows at every step on both machines",
        of.accumulates_ever_more,
        origin="simulated",
        remark="all splitters together take the accumulated collectives away, which the paper leaves",
    ),
    Declaration(
        "radix-steps",
        "measured",
        (RADIX_MINI,),
        "64 / k steps in every run",
        of.steps,
        "the same; counts",
        of.steps,
        origin="simulated",
    ),
    declare_printed(
        "radix-k4",
        "its cell on Juqueen is beyond the limits in Table 10, on Lichtenberg inside",
        beside_printed(
            all_of(
                ranks_are("10", ("Juqueen",), ("Radix k = 4",), ("none",)),
                ranks_are("10", ("Lichtenberg",), ("Radix k = 4",), INSIDE),
            ),
            of.ranked(
                "radix-k4",
                {"whole": times("Radix k = 4", "Juqueen")},
                Cell("none", "log p", "p", "wide", "p^0.5"),
                "posterior",
                ("none",),
                RUN + "radix-mini",
            ),
        ),
        remark="here: on the flat machine, simulated; the paper's ✗ is from 2^11 on; a library's MPI_Exscan"
        " makes counting O(p^1.5) (g)",
    ),
    Declaration(
        "radix-memory",
        "measured",
        (MEMORY,),
        "more bytes with more bits and with more ranks, by messages",
        of.memory_grows,
        "beyond O(1) in p by the posterior, k = 8",
        of.ranked(
            "memory",
            {"bytes": of.medians(MEMORY, "step_bytes", "p", exchange="p2p", keys="1000", bits="8")},
            Cell("none", "1", "p", "default", "log p"),
            "posterior",
            ("none",),
            RUN + "memory",
        ),
        limits={"fails": RANKS},
        origin="simulated",
        remark="by one collective it grows with both, by construction",
    ),
    declare_printed(
        "radix-k8-closer",
        "no cell of k = 8 is beyond the limits in Table 10, one of k = 4 is",
        beside_printed(
            all_of(
                ranks_are("10", (), ("Radix k = 8",), ("match", "approximate")),
                rank_counts("10", "Juqueen", "none", 1, 1),
            ),
            of.closer("posterior", RUN + "radix-mini"),
        ),
        remark="here: by the posterior, simulated",
    ),
    declare_printed(
        "differ-075",
        "models of Lichtenberg over those of Juqueen in Table 10",
        differ_by("10", ("Exact-splitting", "Mini"), "p^0.75"),
    ),
    declare_printed(
        "rule-of-ranks",
        "each δ is the model over the expectation, each rank that of half of the expectation",
        follow_rule("10"),
        remark="§ 2.3's default limits, since the study names no others; with D = √p, as in § 3, exact"
        " splitting on Juqueen alone is left, whose δ is printed as O(1)",
    ),
    Declaration(
        "mini-median",
        "measured",
        (RADIX_MINI,),
        "the whole is beyond O(log² p) by least squares on the fat tree",
        of.ranked("mini", {"whole": times("Mini", "Lichtenberg")}, OF_MINI_SORT, "seed001", ("none",), ""),
        "its pivot is, by the posterior",
        of.ranked(
            "mini",
            {"pivot": of.phase(RADIX_MINI, "pivot", algorithm="mini", **FAT)},
            OF_MINI_SORT,
            "posterior",
            ("none",),
            RUN + "radix-mini",
        ),
        limits={"fails": RANKS},
        origin="simulated",
        remark="groups by MPI_Comm_split are what is ✗ here (b)",
    ),
    Declaration(
        "binary-tree",
        "measured",
        (of.MEDIANS,),
        "its error is smaller on average, at three sizes",
        of.nearer_by_means,
        "at each size (Mann and Whitney, Bonferroni)",
        of.nearer_by_ranks,
        limits={
            "fails": Cause(
                "stand-in",
                "a leaf has one element and a window two, which the paper does not state",
                ".venv/bin/python studies/parallel-sorting/medians.py",
            )
        },
        remark="400 random orders of each size; the binary tree has the fewer elements",
    ),
    Declaration(
        "sample-bottleneck",
        "measured",
        (SPLITTER_BASED,),
        "sample sort is slower than histogram sort on most ranks of the flat machine, ever more",
        of.overtakes("flat"),
        "on both machines",
        of.both_machines(of.overtakes),
        origin="simulated",
    ),
    Declaration(
        "exact-balance",
        "measured",
        (REAL, SPLITTER_BASED),
        "the largest load is the mean one in every real run",
        of.balanced("exact", 1.0, REAL),
        "and in every simulated one",
        of.balanced("exact", 1.0, REAL, SPLITTER_BASED),
    ),
    Declaration(
        "histogram-balance",
        "measured",
        (REAL, LOADS),
        "the largest load is at most 1.05 of the mean in every real run",
        of.balanced("histogram", 1 + of.NEAR, REAL),
        "and for all distributions, simulated",
        of.balanced("histogram", 1 + of.NEAR, REAL, LOADS),
    ),
    Declaration(
        "engineering",
        "measured",
        (GROUPS,),
        "the phase that was made slower is beyond its expectation by least squares",
        of.ranked("groups", GROUPING, OF_MINI, "seed001", ("none",), ""),
        "so by the posterior",
        of.ranked("groups", GROUPING, OF_MINI, "posterior", ("none",), RUN + "groups"),
        of.ranked("ranges", PHASES_ON_RANGES, OF_MINI, "posterior", ("none",), RUN + "groups"),
        origin="simulated",
        remark="control: the phases of the same sort on ranges of ranks",
    ),
    *(
        Declaration(name, "set-up", remark=remark)
        for name, remark in (
            ("table-8", "expectations, to which Table 10 and (e) hold the sorts"),
            ("table-9", "p = 4 … 512 and 1,000 keys here: 2^16 ranks are out of reach of the simulator"),
            ("figure-6", "`workloads/sorting/exact`"),
            ("five-sorts", "`psort`, written anew"),
            ("phases", "a metric and a claim for each phase"),
        )
    ),
)


def agreements() -> Iterator[Agreement]:
    """Ranks of Table 10 beside ours, and beside ours shuffled."""
    data = Data(HERE)

    def agrees(line: dict[str, str], ours: dict[str, str]) -> bool:
        """Whether the rank of another cell's times, held to what is expected of them, is the printed one."""
        cell = cell_of(ours)._replace(printed=cell_of(line).printed)
        name = f"{ours['system']}-{ours['function']}"
        return by_paper(name, times(ours["function"], ours["system"]), cell)(data).verdict == "holds"

    cells = [(line, line) for line in table_10()]
    yield compare_with_chance("Table 10, ranks (simulated)", cells, agrees)


def _claim(heading: str, claim: str, place: int = 2) -> dict[str, str]:
    return next(row for row in rows_of(HERE, heading, place) if row["claim"] == claim)


def findings() -> list[str]:
    """What the paper did not know."""
    split = _claim("(b) MPI_Comm_split", "groups")
    printed = table_10()
    return [
        (
            f"Parallel sorting: {sum(bool(line['note']) for line in printed)} of {len(printed)} cells of"
            " Table 10 contradict"
            " the paper's own rule (scalability-validation). Mini sort's groups by MPI_Comm_split are"
            f" {split['rank (probability)']} (simulated). The paper blames the median, and does not name"
            " this phase."
        )
    ]
