"""Each statement of §§ 2 and 3 as a declaration; ``claims_of_models.py`` decides.

By the paper's method: least squares over its search space, D = √p (``study.by_their_method``). By ours: the
posterior over all formulas; a rank is stated from a probability of 0.8 on.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []

import claims_of_models as of  # noqa: E402
import printed_ranks  # noqa: E402
import study  # noqa: E402
from beside import Comparison, Statement  # noqa: E402
from chance import Agreement, compare_with_chance  # noqa: E402
from claims_of_models import AUTHORS, HEAPS, IDLE, MACHINES, RUN, SELECTORS, SIMULATED  # noqa: E402
from declarations import Cause, Data, Declaration, Judge  # noqa: E402
from printed_ranks import beside_printed, declare_printed  # noqa: E402
from rank_claims import Cell  # noqa: E402
from ranking import grows_more  # noqa: E402
from readme_tables import tables_of  # noqa: E402

from steelyard.api.scaling import ScalingModel  # noqa: E402

TABLES: Final = tables_of(HERE)
EVIDENCE: Final = {SIMULATED: "SimGrid"}
"""What ran for values that do not say so."""
TITLE: Final = "MPI collectives"
PAPER: Final = (
    "S. Shudler, Y. Berens, A. Calotoiu, T. Hoefler, A. Strube and F. Wolf, *Engineering Algorithms for"
    " Scalability through Continuous Validation of Performance Expectations*, IEEE TPDS 30(8), 2019, DOI"
    " 10.1109/TPDS.2019.2896993, §§ 2, 3."
)
ABOUT: Final = (
    "Ours: a torus stands beside Juqueen, a fat tree beside Juropa, a dragonfly beside Piz Daint, **all"
    " simulated**, and idle. Intel MPI and Open MPI are judged by the authors' own measurements, as far as"
    " they are published (p = 32 … 512, one launch a point; `../scalability-validation/authors.csv`), and by"
    " SimGrid's selectors where they are not. Heap is that of real libraries: MPICH 5.0.2 beside Juropa's"
    " ParaStation MPI, Intel MPI 2021.18 beside Piz Daint's Cray MPI, which come of MPICH, too."
)
LIBRARIES: Final = {"Juropa": "mpich", "Piz Daint": "impi"}
OBJECTS: Final = {
    "MPI memory": "mpi_init",
    "Comm_create": "comm_create",
    "Comm_dup": "comm_dup",
    "Win_create": "win_create",
    "Cart_create": "cart_create",
}
DESCENDANT: Final = Cause("stand-in", "a later library of the same origin", RUN + "memory")
CONNECTIONS: Final = Cause(
    "machine", "one host without InfiniBand, so that no connection takes memory", RUN + "connected"
)
RULE: Final = "the published rank by least squares"
CLAIM: Final = "the published rank by the posterior"
TREES: Final = ("fat-tree", "dragonfly")
LOGARITHMIC: Final = ("barrier", "bcast", "reduce")


def _latencies() -> Iterator[tuple[Statement, Declaration]]:
    """Tables 4 and 6: machines simulated, libraries by the authors' measurements where they are there."""
    for key, system in {**MACHINES, **SELECTORS}.items():
        table = "4" if key in MACHINES else "6"
        for operation, printed in study.published(system).items():
            name = "Bcast (BT)" if operation == "litmus" else operation.capitalize()
            place = f"§ 3.{2 if table == '4' else 3}, Table {table}"
            statement = Statement(f"{key}-{operation}", place, "cell", f"{name}, {system}", str(printed))
            expected = study.LATENCIES[operation].removeprefix("O(").removesuffix(")")
            is_more = Cell(printed.rank, expected, "p", growth=printed.growth).is_more
            if key in SELECTORS and operation != "litmus":
                yield (
                    statement,
                    Declaration(
                        statement.id,
                        "measured",
                        (AUTHORS,),
                        RULE,
                        of.authors_rank(system, operation, printed.rank, ours=False),
                        CLAIM,
                        of.authors_rank(system, operation, printed.rank, ours=True),
                        limits={"fails": of.LATER},
                        origin="the authors' data",
                    ),
                )
            else:
                yield (
                    statement,
                    Declaration(
                        statement.id,
                        "measured",
                        (SIMULATED,),
                        RULE,
                        of.ranked(
                            of.of_machines([key], [operation], ours=False),
                            (printed.rank,),
                            "",
                            sure=False,
                            is_more=is_more,
                        ),
                        CLAIM,
                        of.ranked(
                            of.of_machines([key], [operation], ours=True),
                            (printed.rank,),
                            RUN + of.PARTS[key],
                            sure=True,
                            is_more=is_more,
                        ),
                        _control(key, operation, printed.rank),
                        limits={"fails": IDLE},
                        origin="simulated",
                        remark="control: the same program under the other library, simulated"
                        if key in SELECTORS
                        else "",
                    ),
                )


def _control(key: str, operation: str, rank: str) -> Judge | None:
    """Of a program of its own messages, the other library: what both have says nothing of either."""
    if key not in SELECTORS:
        return None
    (other,) = {*SELECTORS} - {key}
    return of.ranked(of.of_machines([other], [operation], ours=True), (rank,), "", sure=True)


def table_5() -> list[dict[str, str]]:
    """Published cells of heaps."""
    with study.parts.PUBLISHED.open(newline="", encoding="utf-8") as file:
        return [line for line in csv.DictReader(file) if line["table"] == "5"]


def _heaps() -> Iterator[tuple[Statement, Declaration | Comparison]]:
    for line in table_5():
        system, function = line["system"], line["function"]
        printed = f"{study.parts.SIGNS[line['rank']]} O({line['model']})"
        statement = Statement(
            f"{system}-{function}", "§ 3.2, Table 5", "cell", f"heap of {function}, {system}", printed
        )
        if system not in LIBRARIES:
            yield statement, Comparison("", "", "not attempted", "PAMI runs on Blue Gene/Q only")
            continue
        libraries, name = (LIBRARIES[system],), OBJECTS[function]
        remark = ""
        if name == "mpi_init":
            remark = "Table 5 expects O(log p), Table 1 O(1), as here; the printed O(log p) is ≈ by O(1)"
        yield (
            statement,
            Declaration(
                statement.id,
                "measured",
                (HEAPS,),
                RULE,
                of.ranked(of.of_heaps(libraries, name, ours=False), (line["rank"],), "", sure=False),
                CLAIM,
                of.ranked(
                    of.of_heaps(libraries, name, ours=True), (line["rank"],), RUN + "memory", sure=True
                ),
                limits={"fails": DESCENDANT},
                remark=remark,
            ),
        )


CELLS: Final = (*_latencies(), *_heaps())
LINEAR: Final = (("fat-tree", "gather"), ("fat-tree", "allgather"), ("dragonfly", "gather"))


def _linear(data: Data, *, ours: bool) -> dict[str, ScalingModel]:
    return {
        f"{machine} {operation}:": of.modelled(data, machine)[operation][ours]
        for machine, operation in LINEAR
    }


DECLARATIONS: Final = (
    declare_printed(
        "juqueen-met",
        "seven of eight cells of Juqueen match in Table 4",
        beside_printed(
            printed_ranks.rank_counts("4", "Juqueen", "match", 7, 7), of.matches("torus", 7, ours=True)
        ),
        remark="here: a simulated torus whose links are shared, without Blue Gene's collective hardware",
    ),
    declare_printed(
        "log-or-linear",
        "each term of Juqueen in Table 4 is log p or p",
        printed_ranks.terms_are("4", ["Juqueen"], (), ("log p", "p")),
    ),
    declare_printed(
        "rule-of-ranks",
        "each δ is the model over the expectation, each rank that of D = √p",
        printed_ranks.follow_rule("4", "5", "6"),
    ),
    declare_printed(
        "expectation-5",
        "Table 5 expects of MPI's memory what Table 1 does",
        printed_ranks.expects("5", "MPI memory", "1"),
        remark="§ 3.1.1 says that a scalable library takes a fixed amount; Juqueen's and Piz Daint's O(log p)"
        " is a match by Table 5 and approximate by Table 1",
    ),
    Declaration(
        "bt-slower",
        "measured",
        (SIMULATED,),
        "more than 5 % slower than Bcast on the most ranks of the torus",
        of.slower_tree(everywhere=False),
        "at every p",
        of.slower_tree(everywhere=True),
        limits={"fails": IDLE},
        origin="simulated",
        remark="both send the same messages here",
    ),
    declare_printed(
        "juropa-daint",
        "no Barrier, Bcast or Reduce of both has the term log p in Table 4",
        beside_printed(
            printed_ranks.no_term("4", ("Juropa", "Piz Daint"), ("Barrier", "Bcast", "Reduce"), "log p"),
            of.no_logarithm(TREES, LOGARITHMIC),
        ),
        remark="here: an idle fat tree and a dragonfly, simulated",
    ),
    declare_printed(
        "litmus-fails",
        "the litmus test of both is beyond the limits in Table 4",
        beside_printed(
            printed_ranks.ranks_are("4", ("Juropa", "Piz Daint"), ("Bcast (BT)",), ("none",)),
            of.ranked(of.of_machines(TREES, ["litmus"], ours=True), ("none",), RUN + "topologies", sure=True),
        ),
        remark="here: on idle machines, simulated, the topology alone keeps it within √p",
    ),
    Declaration(
        "noise",
        "measured",
        (SIMULATED,),
        "a tenth of every core makes Barrier of 512 ranks more than 5 % longer",
        of.noise_lengthens,
        "and takes it beyond O(log p) by the posterior",
        of.noise_changes_growth,
        limits={"fails": Cause("stand-in", "noise of one kind", RUN + "noise")},
        origin="simulated",
    ),
    Declaration(
        "neighbours",
        "measured",
        (SIMULATED,),
        "Allgather of 1,024 ranks is more than 5 % slower on scattered hosts",
        of.scattered_is_slower(all_days=False),
        "on every day",
        of.scattered_is_slower(all_days=True),
        limits={"fails": IDLE},
        origin="simulated",
        remark="a dragonfly with one link between groups (g)",
    ),
    declare_printed(
        "gather-linear",
        "the three cells match in Table 4",
        beside_printed(
            printed_ranks.all_of(
                printed_ranks.ranks_are("4", ("Juropa", "Piz Daint"), ("Gather",), ("match",)),
                printed_ranks.ranks_are("4", ("Juropa",), ("Allgather",), ("match",)),
            ),
            of.ranked(partial(_linear, ours=True), ("match",), RUN + "topologies", sure=True),
        ),
        remark="here: simulated; up to 1,024 ranks a part a round still counts",
    ),
    declare_printed(
        "guideline-predicted",
        "by the terms of Table 4 it breaks on Piz Daint alone",
        beside_printed(
            printed_ranks.breaks_on("Allreduce", ("Reduce", "Bcast"), "Piz Daint"),
            of.rule_breaks("dragonfly", "allreduce", "reduce"),
        ),
        remark="here: an idle simulated machine; that it holds at the points of Figure 4 is drawn",
    ),
    declare_printed(
        "guideline-allgather",
        "by the terms of Table 4 it breaks on Piz Daint alone",
        beside_printed(
            printed_ranks.breaks_on("Allgather", ("Gather", "Bcast"), "Piz Daint"),
            of.only_on("dragonfly", by_growth=False),
        ),
        remark="here: at points of idle simulated machines; a rule that is broken at points needs no growth",
    ),
    Declaration(
        "comm-dup",
        "measured",
        (HEAPS,),
        "beyond O(1) in Intel MPI by least squares",
        of.ranked(of.of_heaps(["impi"], "comm_dup", ours=False), ("none",), "", sure=False),
        "so by the posterior",
        of.ranked(of.of_heaps(["impi"], "comm_dup", ours=True), ("none",), RUN + "memory", sure=True),
        limits={"fails": DESCENDANT},
        remark="in Intel MPI 2021.18, which comes of MPICH; MPICH 5.0.2 takes communicators from pools",
    ),
    declare_printed(
        "constants",
        "constants of communicators in Table 5 are at least 100 × as large on Juqueen",
        beside_printed(
            printed_ranks.begin_higher(
                ("Comm_create", "Comm_dup", "Cart_create"), "Juqueen", "Juropa", times=100
            ),
            of.begins_at("comm_create"),
        ),
        remark="here: Comm_create of two ranks; neither library is here",
    ),
    Declaration(
        "memory-wall",
        "recomputed",
        ("statements.csv",),
        "8 processes of a node need more than its 24 GB at 0.55 MB a connection",
        of.connections_need("memory-wall", 8),
        "as printed",
        beside_printed(of.connections_need("memory-wall", 8), of.wall(8192, 24e9, 8, surely=False)),
        origin="the authors' data",
        remark="here: one host without InfiniBand, so that no connection takes memory; MPI_Init is O(p)",
    ),
    Declaration(
        "memory-35",
        "recomputed",
        ("statements.csv",),
        "within 5 % of 35 GB by the model of Figure 4 i",
        of.node_needs(35, 8, 8192),
        "as printed",
        of.node_needs(35, 8, 8192),
        origin="the authors' data",
    ),
    Declaration(
        "quartile-mean",
        "measured",
        (AUTHORS,),
        "means and the least have one term in most of 14 series by least squares",
        of.same_terms(exactly=False),
        "so has more than half of series (exact interval)",
        of.same_terms(exactly=True),
        limits={"fails": of.LATER},
        origin="the authors' data",
        remark="the quartile itself is not published",
    ),
    Declaration(
        "figure-4i",
        "measured",
        (HEAPS,),
        "heap after MPI_Init grows by 0.56 MB a rank in MPICH by least squares, within a factor of 2",
        of.grows_by("mpich", "mpi_init", 0.56e6, surely=False),
        "so by the posterior",
        of.grows_by("mpich", "mpi_init", 0.56e6, surely=True),
        limits={"fails": CONNECTIONS},
        remark="that it grows at all is no 0.56 MB",
    ),
    Declaration(
        "gather-switch",
        "measured",
        (AUTHORS,),
        "Gather matches in neither library by one term",
        of.no_single_model,
        "our models find two segments",
        of.segments,
        origin="the authors' data",
    ),
    declare_printed(
        "intel-half",
        "three to five of seven cells of Intel MPI are beyond the limits in Table 6",
        beside_printed(
            printed_ranks.rank_counts("6", "Intel MPI", "none", 3, 5),
            of.authors_fail("Intel MPI", 3, 5, ours=False),
        ),
        remark="here: the authors' later measurements by least squares",
    ),
    Declaration(
        "intel-noise",
        "measured",
        (AUTHORS,),
        "Barrier and Reduce take at most 1.1 of Open MPI's time at p = 512",
        of.on_par("over_open_at_512", 1.1),
        "at every p",
        of.on_par("most_over_open", 1.1),
        origin="the authors' data",
    ),
    declare_printed(
        "open-none",
        "no cell of Open MPI is beyond the limits in Table 6, three of seven match",
        beside_printed(
            printed_ranks.all_of(
                printed_ranks.rank_counts("6", "Open MPI", "none", 0, 0),
                printed_ranks.rank_counts("6", "Open MPI", "match", 3, 3),
            ),
            of.authors_fail("Open MPI", 0, 0, ours=False),
        ),
        remark="here: the authors' later measurements by least squares",
    ),
    Declaration(
        "open-better",
        "measured",
        (AUTHORS,),
        "fewer of its operations are beyond their expectations by least squares",
        of.fewer_beyond,
        "latencies of Intel MPI grow more from p = 32 to 512 (sign test over operations)",
        of.grows_less,
        origin="the authors' data",
    ),
    *(
        Declaration(name, "set-up", remark=remark)
        for name, remark in (
            (
                "table-1",
                "expectations, which sums of two terms hide on the flat machine",
            ),
            ("table-2", "torus, fat tree and dragonfly, simulated: their topologies, not their sizes"),
            ("table-3", "800 bytes, 8 ranks a host; p = 16 … 4,096"),
            ("figure-1-3", "[build], factors, metrics, claims and verdict in one spec"),
            *(
                (f"figure-{figure}", "drawn; its ranks are cells of Tables 4 and 6")
                for figure in ("4a", "4b", "4c", "4d", "4e", "4f", "4g", "4h", "5a", "5b", "5c", "5e")
            ),
            ("five-points", "a rule of thumb; what five points leave open, cells of Table 6 say"),
            ("asymptotic", "a method: every claim of the study is one"),
            ("deviation", '`deviation = "half"`'),
            ("space-default", "`--space seed001`"),
            ("seconds", "models of both methods take about a second"),
            ("divergence", "the column δ of the results"),
            (
                "litmus-rule",
                "a rule; (g) has a machine that is narrow and an algorithm that asks for what it lacks",
            ),
            ("first-quartile", "a quartile of the repetitions of a launch; the launch is the unit"),
            ("space-study", "`--method seed001 --space mpi-study`"),
            (
                "ci-5",
                "a criterion of stopping; an interval over repetitions lacks what launches differ by",
            ),
            ("alltoall-linear", "a cell of Table 4"),
            ("allgather-daint", "a cell of Table 4; scattered hosts give the published ≈ (g)"),
            ("intel-litmus", "a cell of Table 6"),
            ("open-litmus", "a cell of Table 6; an idle fat tree gives it without any noise"),
            ("issues", "a count of the paper's findings"),
        )
    ),
)


def agreements() -> Iterator[Agreement]:
    """Ranks of Tables 4, 5 and 6 beside ours, and beside ours shuffled."""
    data = Data(HERE)

    def agrees(printed: str, model: ScalingModel) -> bool:
        return study.rank_text(model) == printed and (printed != "none" or grows_more(model))

    for table, systems in (("4", MACHINES), ("6", SELECTORS)):
        cells = [
            (printed.rank, of.modelled(data, key)[operation].by_paper)
            for key, system in systems.items()
            for operation, printed in study.published(system).items()
        ]
        yield compare_with_chance(f"Table {table}, ranks (simulated)", cells, agrees)
    authors = {(row["system"], row["operation"]): row for row in data.table(AUTHORS)}
    pairs = [
        (printed.rank, authors[system, operation])
        for system in SELECTORS.values()
        for operation, printed in study.published(system).items()
        if (system, operation) in authors
    ]
    yield compare_with_chance(
        "Table 6, ranks of the authors' later measurements",
        pairs,
        lambda printed, row: (
            row["rank_by_paper"] == printed and (printed != "none" or row["faster_by_paper"] == "1")
        ),
    )
    heaps = [
        (line["rank"], of.heap_models(data)[LIBRARIES[line["system"]], OBJECTS[line["function"]]][0])
        for line in table_5()
        if line["system"] in LIBRARIES
    ]
    yield compare_with_chance("Table 5, ranks of heaps", heaps, agrees)


def findings() -> list[str]:
    """What the paper did not know."""
    data = Data(HERE)
    gathers = {machine: of.ratio_of(data, machine, "allgather", "gather") for machine in MACHINES}
    litmus = of.modelled(data, "ompi")["litmus"].by_ours
    dup = next(row for row in TABLES["openmpi", 1] if row["object"] == "comm_dup")
    rules = {key: of.growth_rule(data, key, "allgather <= gather + bcast") for key in MACHINES}
    hidden = [key for key, verdict in rules.items() if verdict == "holds"]
    result = ", ".join(f"{gather.worst:.1f} ({key})" for key, gather in gathers.items())
    return [
        (
            "MPI collectives: performance guidelines are broken at points, not in their growth alone."
            f" Allgather by recursive doubling takes up to {result} times what Gather + Bcast take"
            " (simulated). Leading terms by the paper's method say that the rule holds on"
            f" {', '.join(hidden) or 'none of them'}."
        ),
        (
            f"The litmus test is {of.say_sure(litmus)} on an idle fat tree. What the paper puts on OS jitter"
            " needs none."
        ),
        (
            f"Comm_dup still grows with p in libraries of today: Open MPI 5.0.11, {dup['heap, B']} B"
            f" ({dup['rank (probability)']}), and Intel MPI 2021.18. MPICH 5.0.2 has cured it."
        ),
    ]
