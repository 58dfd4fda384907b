"""Each statement of *The Value of Variance* as a declaration; ``claims_of_runs.py`` decides."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []

import claims_of_runs as of  # noqa: E402
from claims_of_runs import PAPERS, REAL, RUN, SIMULATED, STATED, TABLE_1, Pair, cv  # noqa: E402
from declarations import Cause, Data, Declaration  # noqa: E402
from printed_ranks import beside_printed  # noqa: E402

TITLE: Final = "the value of variance"
PAPER: Final = (
    "J. S. Firoz, M. Zalewski, M. Barnas and A. Lumsdaine, *The Value of Variance*, ICPE 2016, DOI"
    " 10.1145/2851553.2851573."
)
ABOUT: Final = (
    "Ours: AM++ and HPX-5 are presets of [workloads/runtime](../../workloads/runtime/README.md). Real runs,"
    " one and two ranks of this machine (`real-runs.csv`), decide; the paper's sizes are in virtual time"
    " (`papers-runs.csv`) and are called simulated, as is a torus without noise of links"
    " (`simulated-runs.csv`). With a queue at every link, which alone decides the order on 32 ranks"
    " (RESULTS), the torus is a control. The paper's"
    " method is Eq. 5, 7 and 10 on each run of eight sources; ours are `steelyard check` over runs and"
    " sources, and tests over groups of runs."
)
MACHINE: Final = Cause("machine", "one and two ranks, where the paper has 1 to 16 nodes of 16", RUN)
SHARED: Final = Cause("machine", "two CPUs of a shared machine", RUN)
GRAPHS: Final = Cause("stand-in", "other graphs, sources and runtimes than the paper's", RUN)
SIZES: Final = Cause(
    "stand-in",
    "virtual time with costs of an item and of an epoch that the paper does not state",
    ".venv/bin/python studies/value-of-variance/papers.py",
)
EVIDENCE: Final = {PAPERS: "virtual", SIMULATED: "SimGrid"}
"""What ran for values that do not say so."""
ORDERS: Final = ("KLA over Δ = 1, AM++", "KLA over Δ = 1, HPX-5")
PRESETS: Final = ("HPX-5 over AM++, KLA", "HPX-5 over AM++, Δ = 1")
EFFECTS: Final = {
    "figure-4": ORDERS[1:],
    "figure-8": PRESETS,
    "settles": ORDERS[1:],
    "smaller-am": PRESETS,
}
"""Effects of options in virtual time that statements hang on (``evidence.py``)."""
NOT_MEASURED: Final = {"figure-12"}
"""In virtual time, of spreads over sources, for which there is no effect of an option."""
BY_COUNTS: Final = {"asynchronous"}
"""Decided by counts, which are those of any machine."""


def ahead(pair: Pair) -> bool:
    """Δ = 1 is faster."""
    return pair.speedup > 1


def large(pair: Pair) -> bool:
    """The speedup is that of HPX-5."""
    return 3 <= pair.speedup <= 11


def around_2(pair: Pair) -> bool:
    """The speedup is that of AM++."""
    return 1 <= pair.speedup <= 3


def wider(pair: Pair) -> bool:
    """The relative standard deviation of KLA is the larger."""
    return cv(pair.kla) > cv(pair.delta)


def wider_s(pair: Pair) -> bool:
    """Its standard deviation in seconds is."""
    return stdev(pair.kla) > stdev(pair.delta)


DECLARATIONS: Final = (
    Declaration(
        "table-1-2",
        "recomputed",
        (TABLE_1,),
        "40 to 60 % more than the mean of run 2",
        of.instance_7,
        "as printed",
        of.instance_7,
        origin="the authors' data",
        remark="50 % is true of run 5",
    ),
    Declaration(
        "table-1-5",
        "recomputed",
        (TABLE_1,),
        "the largest value of the row",
        of.instance_7_again,
        "as printed",
        of.instance_7_again,
        origin="the authors' data",
    ),
    Declaration(
        "table-1-most",
        "recomputed",
        (TABLE_1,),
        "the larger of the two values of instance 7",
        of.instance_7_most,
        "as printed",
        of.instance_7_most,
        origin="the authors' data",
    ),
    Declaration(
        "rsu-half",
        "recomputed",
        (TABLE_1,),
        "Eq. 3 with Eq. 5 gives .45 to .55",
        of.uncertainty_of_run_2,
        "as printed",
        of.uncertainty_of_run_2,
        origin="the authors' data",
        remark="0.5 is s / mean; the RSU that the paper defines is a √8-th of it",
    ),
    *(
        Declaration(
            figure,
            "measured",
            data,
            "Δ = 1 has the lower mean in every run",
            of.every_run(data, "hpx-5", weight, ahead, "faster"),
            "Δ = 1 is faster on HPX-5 at both real sizes, over sources (`check`) and over runs (t)",
            of.faster({"runtime": "hpx-5", "weight": int(weight)}),
            of.every_run((SIMULATED,), "hpx-5", weight, ahead, "with noise of links faster", of.NOISY),
        )
        for figure, weight, data in (
            ("figure-4", "255", (REAL, PAPERS, SIMULATED)),
            ("figure-6", "100", (REAL, SIMULATED)),
        )
    ),
    *(
        Declaration(
            figure,
            "measured",
            (REAL,),
            "speedups of every run lie between 3 and 11",
            of.every_run((REAL,), "hpx-5", weight, large, "between 3 and 11"),
            "Δ = 1 is at least 3 times as fast at both real sizes, over sources and over runs",
            of.faster({"runtime": "hpx-5", "weight": int(weight)}, 3),
            limits={"fails": MACHINE},
            remark="with items as costly as on a slower runtime, simulated, 3.16 (`direction.toml`)",
        )
        for figure, weight in (("figure-5", "255"), ("figure-7", "100"))
    ),
    Declaration(
        "two-inputs",
        "measured",
        (REAL,),
        "mean speedups on HPX-5 differ by less than a factor of 1.5",
        of.means_of_inputs,
        "so do their 95 % intervals, run by run",
        of.both_inputs,
        limits={"fails": MACHINE},
    ),
    Declaration(
        "figure-8",
        "measured",
        (REAL, PAPERS),
        "both orders have the lower mean on AM++ in every run",
        of.every_twin((REAL, PAPERS), of.faster_twin, "faster"),
        "AM++ is faster for both orders at both real sizes, over sources (`check`) and over runs (t)",
        of.faster({"weight": 100}, 1, of.AM, of.HPX),
        remark="the two runtimes are presets of one program",
    ),
    Declaration(
        "figure-9",
        "measured",
        (REAL,),
        "speedups of every run lie between 1 and 3",
        of.every_run((REAL,), "am++", "100", around_2, "between 1 and 3"),
        "95 % intervals lie between 1 and 3 at both real sizes",
        of.within({"runtime": "am++", "weight": 100}, 1, 3),
        limits={"fails": MACHINE},
        remark="at the paper's sizes, simulated, KLA is ahead: items are cheap there",
    ),
    *(
        Declaration(
            figure,
            "measured",
            (REAL,),
            "the largest s / mean of each real size is KLA's",
            of.largest_is_klas(weight),
            "KLA's is the larger: sign tests over the runs of each real size (Bonferroni)",
            of.most_runs("hpx-5", weight, wider, "larger"),
            remark="what the paper plots as RSU is s / mean",
        )
        for figure, weight in (("figure-10", "255"), ("figure-11", "100"))
    ),
    Declaration(
        "figure-12",
        "measured",
        (PAPERS,),
        "within a factor of 2 in most runs at scale 17",
        of.close,
        "the same",
        of.close,
        origin="simulated",
        limits={"fails": SIZES},
        remark="weights to 255, where the figure has 100: `papers.py --weight 100`",
    ),
    Declaration(
        "larger-s",
        "measured",
        (REAL,),
        "s of KLA in seconds is the larger in every run",
        of.every_run((REAL,), "hpx-5", "", wider_s, "larger"),
        "sign tests over the runs of each real size (Bonferroni)",
        of.most_runs("hpx-5", "", wider_s, "larger"),
    ),
    Declaration(
        "smaller-am",
        "measured",
        (REAL, PAPERS),
        "s in seconds of both orders is smaller in every run",
        of.every_twin((REAL, PAPERS), of.smaller_spread, "smaller"),
        "sign tests over the runs of each real size (Bonferroni)",
        of.most_twins(of.smaller_spread, "smaller"),
        remark="of shorter times; s / mean is not smaller",
    ),
    Declaration(
        "variability-am",
        "measured",
        (REAL,),
        "σ of the speedup is smaller in every run",
        of.every_twin((REAL,), of.smaller_sigma, "smaller"),
        "sign tests over the runs of each real size (Bonferroni)",
        of.most_twins(of.smaller_sigma, "smaller"),
        limits={"fails": MACHINE},
    ),
    Declaration(
        "sensitive",
        "measured",
        (REAL,),
        "s / mean of KLA is the larger on average in every group",
        of.mean_is_klas,
        "s / mean of KLA is the larger: sign tests over the runs of each real size and runtime (Bonferroni)",
        of.most_runs("", "", wider, "larger"),
        limits={"fails": GRAPHS},
    ),
    Declaration(
        "averages-inside",
        "measured",
        (REAL,),
        "all speedups of a group lie within σ of each",
        of.averages,
        "the same",
        of.averages,
        limits={"fails": SHARED},
    ),
    Declaration(
        "clusters",
        "measured",
        (REAL,),
        "s of runs is below σ in every group",
        of.clusters_by_rule,
        "so are its 95 % bounds",
        of.clusters,
        limits={"fails": SHARED},
    ),
    Declaration(
        "settles",
        "measured",
        (PAPERS,),
        "means at two nodes and more lie between 3 and 9",
        of.settles,
        "the same",
        of.settles,
        origin="simulated",
        limits={"fails": SIZES},
    ),
    Declaration(
        "68",
        "measured",
        (REAL,),
        "58 to 78 % of the ratios of single sources lie within ± σ",
        of.covers_by_rule,
        "so does the 95 % interval over groups",
        of.covers,
        limits={"fails": GRAPHS},
    ),
    Declaration(
        "half",
        "recomputed",
        (STATED,),
        "± of Figures 5 and 9 over their middles is 45 to 55 %",
        of.half_as_stated,
        "as printed",
        beside_printed(of.half_as_stated, of.half),
        origin="the authors' data",
        remark="here: σ over the speedup, 95 % over real groups",
    ),
    Declaration(
        "sources",
        "measured",
        (REAL,),
        "s / mean over sources is above 1 % for both orders in every run",
        of.deviates,
        "sources differ, consistently over runs, for both orders in every group (F tests, Bonferroni)",
        of.sensitivity,
        limits={"fails": GRAPHS},
    ),
    Declaration(
        "consistent-7",
        "measured",
        (REAL,),
        "one source is the slowest of KLA in every run",
        of.same_slowest,
        "the same",
        of.same_slowest,
        limits={"fails": GRAPHS},
    ),
    Declaration(
        "delta-steady",
        "measured",
        (REAL,),
        "s / mean of Δ = 1 is below 10 % on HPX-5",
        of.steady_by_rule,
        "so is its 95 % interval over groups",
        of.steady,
        limits={"fails": GRAPHS},
    ),
    Declaration(
        "asynchronous",
        "measured",
        (PAPERS,),
        "KLA works on more items in every run",
        of.more_work,
        "the same; counts",
        of.more_work,
        origin="simulated",
    ),
    *(
        Declaration(name, "set-up", remark=remark)
        for name, remark in (
            ("figure-1", "implemented as defined in `workloads/agm`"),
            ("figure-2", "implemented as defined in `workloads/agm`"),
            ("figure-3", "implemented as defined in `workloads/agm`"),
            ("eq-5", "a definition; what the paper plots is s"),
            ("eq-10", "a definition; it takes KLA and Δ = 1 as uncorrelated, but they share the sources"),
            ("weak", "scale 14 to 18 on 16 to 256 ranks in virtual time; real 13 and 14 on 1 and 2"),
            ("inform", "an insight"),
        )
    ),
)


def findings() -> list[str]:
    """What the paper did not know."""
    data = Data(HERE)
    run_2 = of.printed(data, "2")
    ratios = [cv(p.kla) / cv(p.delta) for p in of.pairs(data, REAL)]
    return [
        (
            f"The Value of Variance: its RSU of 0.5 is s / mean ({cv(run_2):.3f} of Table 1). By its own"
            f" Eq. 3 and 5 it is {cv(run_2) / math.sqrt(8):.3f}. Instance 7, said to take 50 % more than the"
            f" average in run 2, takes {100 * (run_2[6] / fmean(run_2) - 1):.0f} % more."
        ),
        (
            "What decides between Δ-stepping and KLA is the cost of an item over that of an epoch"
            " (simulated). The paper states these costs of neither runtime. In real runs, s / mean of KLA is"
            f" {median(ratios):.1f} times that of Δ = 1 in the middle."
        ),
    ]
