"""Each statement of the draft as a declaration; ``claims_of_grappa.py`` decides."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []

import claims_of_grappa as of  # noqa: E402
import numbers_of_draft as printed  # noqa: E402
from charts import read_number  # noqa: E402
from claims_of_grappa import IN_MEMORY, PING, REAL_GRAPH, REAL_TREES, RESPONSE, RUN  # noqa: E402
from declarations import Cause, Declaration  # noqa: E402
from readme_tables import rows_of  # noqa: E402

TITLE: Final = "the evaluation of Grappa, in its draft"
PAPER: Final = (
    "The draft of an evaluation of Grappa, with UTS, breadth-first search, betweenness, ping and"
    " sensitivity; its figures are not at hand. It is not the evaluation of *Latency-Tolerant Software"
    " Distributed Shared Memory* (USENIX ATC 2015), which has other applications."
)
ABOUT: Final = (
    "Ours: [workloads/runtime](../../workloads/runtime/README.md), in virtual time at the draft's sizes on"
    " up to 128 ranks, each as fast as one of this machine (`calibration.toml`), on an assumed network with"
    " the draft's 3.4 GB/s a node; and real on two ranks. Where both are there, the rule is the draft's sizes"
    " in virtual time, and our claim the real ranks. The draft's method is the rate of the best parameters of"
    " a limited search; ours has grids, screenings and intervals over blocks. The Cray XMT is not available."
)
SHARED: Final = Cause("machine", "two ranks on one node of a shared machine", RUN + "real")
NETWORK: Final = Cause("machine", "two ranks of one node, and no network between them", RUN + "ping")
COSTS: Final = Cause(
    "stand-in", "virtual ranks as fast as one of this machine, on an assumed network", RUN + "uts-memory"
)
THRESHOLD: Final = ("loop threshold 4 over 1", "loop threshold 32 over 1")
EFFECTS: Final = {
    "locality": ("lists of 1 over 31",),
    "threshold": THRESHOLD,
    "cost-of-tasks": THRESHOLD,
}
"""Effects of options in virtual time that statements hang on (``evidence.py``)."""
OWN_RATE: Final = {"binomial", "rate", "per-node", "scales-128", "bfs-scales"}
"""Those in virtual time that vary no option: each program has the rate that `calibration.toml` measures."""
NOT_MEASURED: Final = {"four", "flush-moves", "tasks-need", "tasks-move", "chunk"}
"""Those in virtual time whose option does nothing on one rank, and was not measured on two."""
BY_COUNTS: Final = {"endpoints", "sizes", "harder"}
"""Those that counts decide, which are those of any machine."""
ITEMS: Final = Cause("stand-in", "items of our program, which are smaller", RUN + "aggregator")

DECLARATIONS: Final = (
    Declaration(
        "binomial",
        "measured",
        (REAL_TREES, *IN_MEMORY),
        "the lowest rate on 8 ranks in virtual time is the binomial tree's",
        of.poorest_in_memory,
        "on two real ranks it is below that of either other tree (t over blocks)",
        of.poorest_real,
        limits={"fails": SHARED},
    ),
    Declaration(
        "rate",
        "measured",
        IN_MEMORY,
        "within a factor of 2 of 112 M/s on 60 ranks",
        of.near("rate", 112, 2),
        "within a tenth of it",
        of.near("rate", 112, 1.1),
        limits={"fails": COSTS},
        origin="simulated",
    ),
    Declaration(
        "per-node",
        "measured",
        IN_MEMORY,
        "a rank adds 1 to 4 M/s from 32 to 60",
        of.near("slope", 2, 2),
        "within a tenth of 2 M/s",
        of.near("slope", 2, 1.1),
        limits={"fails": COSTS},
        origin="simulated",
    ),
    *(
        Declaration(
            name,
            "recomputed",
            (printed.PRINTED,),
            rule,
            judge,
            "as printed",
            judge,
            origin="the authors' data",
            remark=remark,
        )
        for name, rule, judge, remark in (
            ("averages", "the rate over the nodes, within a tenth", printed.averages, ""),
            (
                "xmt-network",
                "rates of requests differ as searches do, within a tenth",
                printed.networks,
                "that the network is the cause, no number of the draft says",
            ),
            ("raw-share", "the aggregated share over the gain", printed.raw_share, ""),
        )
    ),
    Declaration(
        "scales-128",
        "measured",
        (REAL_TREES, *IN_MEMORY),
        "rates grow at every step to 128 ranks in virtual time, ever less",
        of.ever_less,
        "two real ranks have a higher rate than one, of each tree (t over blocks)",
        of.two_ranks_gain,
        limits={"fails": SHARED},
    ),
    Declaration(
        "endpoints",
        "measured",
        IN_MEMORY,
        "ever fewer messages leave since they are full, and a rank adds ever less",
        of.fewer_full,
        "the same; counts",
        of.fewer_full,
        origin="simulated",
        remark="O(p²) itself is not resolved over this range",
    ),
    Declaration(
        "locality",
        "measured",
        (of.SCREENING_UTS,),
        "31 children read at once are faster than one",
        of.effect(of.SCREENING_UTS, "list_piece", "1 → 31", RUN + "screening-uts", least=1.0),
        "so is the 95 % interval over blocks",
        of.effect(of.SCREENING_UTS, "list_piece", "1 → 31", RUN + "screening-uts"),
        origin="simulated",
        remark="that it uses locality; whether it wins without takes the XMT",
    ),
    Declaration(
        "bfs-scales",
        "measured",
        (of.BFS, REAL_GRAPH),
        "rates at scale 20 grow to 128 ranks in virtual time",
        of.searches_scale,
        "two real ranks search faster than one (t over blocks)",
        of.two_ranks_search,
        limits={"fails": SHARED},
    ),
    *(
        Declaration(
            name,
            "measured",
            (PING,),
            f"less than {100 * most:g} % of the peak at 32 bytes",
            of.share(op, "32", 0, most, by_rule=True),
            "so is the 95 % interval over blocks",
            of.share(op, "32", 0, most, by_rule=False),
            limits={"fails": NETWORK},
            remark="real messages between two ranks",
        )
        for name, op, most in (("small-messages", "mpi", 0.07), ("raw-3", "raw", 0.03))
    ),
    Declaration(
        "peak-16k",
        "measured",
        (PING,),
        "at least 95 % of the peak with 16 KiB",
        of.share("mpi", "16384", 0.95, 2, by_rule=True),
        "so is the 95 % interval over blocks",
        of.share("mpi", "16384", 0.95, 2, by_rule=False),
        limits={"fails": NETWORK},
    ),
    Declaration(
        "sizes",
        "measured",
        (of.AGGREGATOR,),
        "32 to 64 bytes on average, in breadth-first search",
        of.mean_size(32, 64),
        "the same; counts",
        of.mean_size(32, 64),
        limits={"fails": ITEMS},
        origin="simulated",
    ),
    Declaration(
        "twelve",
        "measured",
        (PING,),
        "at least 12 × at 32 bytes",
        of.times_raw(12, by_rule=True),
        "so is the 95 % interval over blocks",
        of.times_raw(12, by_rule=False),
        limits={"fails": NETWORK},
        remark="29.7 × on Open MPI and 45.7 × on MPICH with ranks at real-time priority (decision 203)",
    ),
    Declaration(
        "third",
        "measured",
        (PING,),
        "28 to 36 % of the peak",
        of.share("aggregated", "32", 0.28, 0.36, by_rule=True),
        "so is the 95 % interval over blocks",
        of.share("aggregated", "32", 0.28, 0.36, by_rule=False),
        limits={"fails": NETWORK},
        remark="an item costs our aggregator 3 to 5 ns, and the draft's more",
    ),
    Declaration(
        "limit-75",
        "measured",
        (PING,),
        "aggregated messages of no size use more than 75 % of the peak",
        of.largest_share("aggregated", 0.75),
        "the same",
        of.largest_share("aggregated", 0.75),
        limits={"fails": NETWORK},
        remark="buffers of 4 KiB, as in the draft",
    ),
    Declaration(
        "four",
        "measured",
        (of.AGGREGATOR,),
        "at least 4 × on 96 ranks with 3,072 tasks",
        of.aggregator_gains(4, "3072"),
        "with 16,000 tasks, too",
        of.aggregator_gains(4, "3072", "16000"),
        limits={"fails": COSTS},
        origin="simulated",
    ),
    Declaration(
        "harder",
        "measured",
        (of.BUFFERS,),
        "of the same updates ever fewer messages are full",
        of.harder_to_fill,
        "a mean message falls to less than half",
        of.emptier,
        origin="simulated",
    ),
    Declaration(
        "flush-moves",
        "measured",
        (RESPONSE,),
        "the best flush age is longer on 96 ranks than on 32, with 3,072 tasks",
        of.later("3072"),
        "with 16,000 tasks, too",
        of.later("3072", "16000"),
        origin="simulated",
        remark="the direction; the draft's 2 and 14 ms are ten times as long",
    ),
    Declaration(
        "tasks-need",
        "measured",
        (RESPONSE, of.SCREENING),
        "1,024 tasks take more than 5 % longer than 16,000, on 32 ranks and on 96",
        of.few_tasks_cost,
        "4,096 tasks are faster than 512 over all knobs of a screening (95 % interval over blocks)",
        of.effect(of.SCREENING, "active_tasks", "512 → 4,096", RUN + "screening"),
        origin="simulated",
    ),
    Declaration(
        "too-many",
        "measured",
        (of.REAL_TASKS,),
        "64 tasks are faster than 65,536 on two real ranks",
        of.many_tasks_cost(by_rule=True),
        "so is the 95 % interval over blocks",
        of.many_tasks_cost(by_rule=False),
        remark="stacks no longer fit into the caches, which virtual ranks do not have",
    ),
    Declaration(
        "tasks-move",
        "measured",
        (RESPONSE,),
        "16,000 tasks beat 8,192 by more than 5 % on 96 ranks, and not on 32",
        of.more_tasks_on_96,
        "the fewest tasks within 5 % of the best are more on 96 ranks",
        of.enough_later,
        origin="simulated",
    ),
    Declaration(
        "chunk",
        "measured",
        (of.CHUNKS,),
        "5 to 20 nodes a steal from geometric trees",
        of.about_ten,
        "the chunk changes times by more than 5 % in every tree",
        of.chunks_matter,
        limits={"fails": COSTS},
        origin="simulated",
        remark="an open question of the draft; of half a victim's nodes",
    ),
    Declaration(
        "threshold",
        "measured",
        (of.THRESHOLD,),
        "the best threshold is 32 or less",
        of.best_threshold(1, 32),
        "and more than 1",
        of.best_threshold(2, 32),
        limits={"fails": COSTS},
        origin="simulated",
    ),
    Declaration(
        "cost-of-tasks",
        "measured",
        (of.THRESHOLD,),
        "the best threshold is more than 5 % faster than 1 at each flush age",
        of.amortises,
        "each threshold from 2 to 8 is faster than 1",
        of.few_iterations_pay,
        limits={"fails": COSTS},
        origin="simulated",
    ),
    *(
        Declaration(name, "set-up", remark=remark)
        for name, remark in (
            ("figure-uts", "drawn; its statements are those of trees, below"),
            ("figure-bfs", "drawn; that the search scales is a statement of its own"),
            ("figure-centrality", "drawn; betweenness at scale 20 in (b)"),
            ("figure-aggregator", "drawn; its statement is that of 4 times"),
            ("figure-ping", "drawn; its statements are those of small messages"),
            ("figure-flush", "drawn; its statement is that of the time-out"),
            ("figure-workers", "drawn; its statement is that of the number of tasks"),
            ("figure-threshold", "drawn; its statement is that of the threshold"),
            ("trees", "T1L in memory to 128 ranks, T2L and T3L to 16; T1XL takes 39 GB"),
        )
    ),
)


def number(row: dict[str, str], column: str) -> float:
    """The number of a cell."""
    return read_number(row[column])


def findings() -> list[str]:
    """What the draft did not know."""
    chunks = {row["tree"]: row for row in rows_of(HERE, "(h) What the paper left open", 1)}
    ages = {row["active tasks"]: row for row in rows_of(HERE, "(g) The best", 1)}
    loss = number(chunks["T3L"], "chunk = 1") / number(chunks["T3L"], "chunk = 0")
    gain = number(chunks["T2L"], "chunk = 0") / number(chunks["T2L"], "chunk = 4")
    waits = {
        tasks: number(ages[tasks], "14 ms") / number(ages[tasks], "200 µs") for tasks in ("1,024", "16,000")
    }
    return [
        (
            "Grappa: the chunk of stealing, which the draft leaves open, depends on the tree. Of the"
            f" binomial one a node a steal is {loss:.1f} times as slow as half. Of geometric ones small"
            f" chunks gain at most {100 * (gain - 1):.0f} %. T1L and T2L differ since the lists that one"
            " read fetches are half as long in T2L."
        ),
        (
            "Its three knobs are one count: a rank has p − 1 buffers to fill with what its tasks ask at"
            " once. So the best number of tasks, and with it the best time-out, grow with the number of"
            " nodes as published (simulated at its scale 20). A time-out of 14 ms costs"
            f" {waits['16,000']:.1f} × where 16,000 tasks fill buffers and {waits['1,024']:.0f} × where"
            " 1,024 do not."
        ),
    ]
