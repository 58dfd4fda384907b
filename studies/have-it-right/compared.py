"""Each statement of Mytkowicz et al. 2008 as a declaration; all values are in ``values/``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []

from claims_of_contexts import (  # noqa: E402
    AGAIN_VALUES,
    STAND_IN,
    across,
    artefact,
    both_ways,
    contradictory,
    contradictory_events,
    fresh,
    gain,
    gain_by_means,
    lengths,
    off_the_mean,
    range_of_built,
    range_of_perl,
    range_of_real,
    signs,
    skewed,
    skewed_by_intervals,
    spread,
    steady,
    steady_by_means,
    streaks,
    vanishes,
    votes,
)
from claims_of_counts import (  # noqa: E402
    PROBES,
    PROCESSOR,
    by_length,
    gains_by_order,
    more_by_software,
    unpredicted,
)
from claims_of_probes import (  # noqa: E402
    RUN,
    bearing,
    both_of,
    changed_by_code,
    changed_by_counters,
    different_largest,
    directions,
    dramatic,
    effects_follow,
    light_tells_heavy,
    means_either_way,
    means_of_counters,
    most_programs,
    ordered_differently,
    software_by_intervals,
    software_by_means,
    steps_down,
    told_apart,
    twice,
)
from declarations import Cause, Data, Declaration  # noqa: E402

TITLE: Final = "we have it easy, but do we have it right?"
PAPER: Final = (
    "T. Mytkowicz, A. Diwan, M. Hauswirth and P. F. Sweeney, *We have it easy, but do we have it right?*,"
    " NSF Workshop at IPDPS 2008, DOI 10.1109/IPDPS.2008.4536408."
)
ABOUT: Final = (
    "The paper's curves are not published as numbers; what its text says of them is held against ours."
    " Ours are CPU times, every value of which is in `values/` (a quiet AMD EPYC, 21 contexts, 32 lengths"
    " of the environment): of `events.c`, of four small programs, of perl, mawk and sqlite3, and of"
    " Debian's libquantum with a driver of ours; of branch misses, percentages are in `summary.json`. Runs"
    " take 1 to 300 ms, the paper's 13 s and more: what a counter itself costs is a part of every effect of"
    " Figures 1 and 2."
)

EVIDENCE: Final = {PROBES: "count"}
"""What ran for values that do not say so."""

DECLARATIONS: Final = (
    Declaration(
        "figure-1",
        "measured",
        ("values/inside.csv",),
        "the largest change of the mean over one to six counters is 1 % or more",
        means_of_counters,
        "some number of counters changes CPU time (Holm over 12)",
        changed_by_counters,
        twice,
        remark="`events.c`, counters of the kernel; a part is the calls themselves",
    ),
    Declaration(
        "figure-2",
        "measured",
        ("values/places.csv", "values/inside.csv", PROBES),
        "the largest change of CPU time by software counters exceeds that by hardware counters",
        software_by_means,
        "so do their 95 % intervals, and counts in upstreams of SPEC's programs",
        both_of(software_by_intervals, more_by_software),
        limits={"fails": PROCESSOR},
        remark="`events.c`; counts of bzip2, hmmer and libquantum, at most 2 % more instructions",
    ),
    Declaration(
        "steady",
        "measured",
        ("values/optimisation-default.csv", "values/libquantum-default.csv"),
        "s / mean is below 2 % but for libquantum",
        steady_by_means,
        "95 % intervals of s / mean lie below 2 % and below libquantum's",
        steady,
        limits={"fails": Cause("stand-in", "runs of milliseconds, not of 13 s", f"{RUN}study.py")},
    ),
    Declaration(
        "indirect",
        "measured",
        ("values/inside.csv",),
        "as Figure 1",
        means_of_counters,
        "code of counters that never runs changes CPU time (Holm)",
        changed_by_code,
        twice,
        remark="around four other programs moved code changes nothing that is resolved",
    ),
    Declaration(
        "commonplace",
        "measured",
        ("values/calls.csv",),
        "11 of 12 programs change by 1 % or more",
        most_programs,
        "most programs change by 2 % or more (95 % intervals)",
        dramatic,
        limits={
            "fails": Cause("stand-in", "four small programs for SPECint 2006", f"{RUN}probes.py calls"),
        },
    ),
    Declaration(
        "no-bearing",
        "measured",
        ("values/places.csv", "values/added.csv"),
        "the change is not monotone in the instructions that are added",
        steps_down,
        "at most 2 % more instructions: |ρ| of amount and change is below .5",
        bearing,
        limits={
            "fails": Cause(
                "stand-in", "one program, where the paper has twelve", f"{RUN}probes.py added places"
            )
        },
    ),
    Declaration(
        "either-way",
        "measured",
        ("values/inside.csv",),
        "changes of means have both signs",
        means_either_way,
        "some are faster and some slower (Holm)",
        directions,
        limits={
            "fails": Cause("stand-in", "one program, where the paper has twelve", f"{RUN}probes.py inside")
        },
        remark="in one program; counters of the kernel",
    ),
    Declaration(
        "no-prediction",
        "measured",
        ("summary.json", PROBES),
        "the order of changes differs between CPU time and branch misses",
        different_largest,
        "|ρ| is below .5 for most pairs of three counts (Bonferroni)",
        unpredicted,
        origin="simulated",
        remark="bzip2, hmmer and libquantum by cachegrind, at most 2 % more instructions; by `events.c` ρ of"
        " CPU time and branch misses is open, 44 amounts would decide",
    ),
    Declaration(
        "validation",
        "measured",
        ("values/validation.csv",),
        "of two changed causes one changes the time without the probe by 1.2 ×",
        effects_follow,
        "`steelyard check`: one belief holds and one fails",
        told_apart,
    ),
    Declaration(
        "figure-3",
        "measured",
        ("values/environment.csv",),
        "the range over 32 lengths is 1 % or more",
        range_of_perl,
        "more intervals leave out the mean than chance gives (5 %)",
        off_the_mean,
        remark="picking the slowest of 32 gives such a range without any effect",
    ),
    Declaration(
        "insignificant",
        "measured",
        (AGAIN_VALUES, "values/environment.csv"),
        "the range over lengths of a real program is 1 % or more",
        range_of_real,
        "a length that stood out changes CPU time by 1 % in fresh runs (95 %)",
        fresh,
        remark="python3 and sqlite3 ([execution-time-variability](../execution-time-variability/README.md))",
    ),
    Declaration(
        "unpredictable",
        "measured",
        ("values/environment.csv",),
        "the range over lengths is 1 % or more",
        range_of_built,
        "steps both up and down whose 95 % intervals do not meet",
        both_ways,
        remark="a program built for it; what decides is the address modulo a line",
    ),
    Declaration(
        "figure-4-default",
        "measured",
        ("values/libquantum-default.csv",),
        "the speedup of means is at least half of the published gain",
        gain_by_means,
        "so is its 95 % interval",
        gain,
        limits={"fails": STAND_IN},
    ),
    Declaration(
        "figure-4-all",
        "measured",
        ("values/libquantum-default.csv", "values/libquantum.csv"),
        "the interval over contexts holds 1",
        vanishes,
        "a gain by default, none over contexts, and the two differ",
        artefact,
        limits={"fails": STAND_IN},
    ),
    Declaration(
        "one-skewed",
        "measured",
        tuple(f"values/{p}{d}.csv" for p in ("optimisation", "libquantum") for d in ("", "-default")),
        "the default interval leaves out the value over contexts",
        skewed_by_intervals,
        "the two differ (Bonferroni over nine pairs)",
        skewed,
        remark="not for the paper's pair, -O3 over -O2 of libquantum",
    ),
    Declaration(
        "figure-5",
        "measured",
        ("values/optimisation.csv", "values/libquantum.csv"),
        "single contexts span 1 % or more for each pair",
        streaks,
        "contexts change the speedup of every pair (F tests, Bonferroni)",
        spread,
        remark="programs of ours and Debian's libquantum for mcf",
    ),
    Declaration(
        "contradict",
        "measured",
        ("values/libquantum.csv", "values/optimisation.csv"),
        "single contexts lie on both sides of 1",
        signs,
        "contexts of each sign are more than chance gives (binomial, 5 % each)",
        contradictory,
        contradictory_events,
        limits={"fails": STAND_IN},
        remark="Debian's libquantum, -O2 over -O1; the control is `events.c`",
    ),
    Declaration(
        "other-approach",
        "measured",
        ("values/places.csv", "values/added.csv"),
        "places order differently with 7 % of them counted and with 27 %",
        ordered_differently,
        "|ρ| of the changes of CPU time at 7 and at 27 % is below .5",
        light_tells_heavy,
        limits={
            "fails": Cause("stand-in", "one program, where the paper has twelve", f"{RUN}probes.py places")
        },
        remark="one program; a place is a drawing of the sites that count",
    ),
    Declaration("three-runs", "set-up", remark="30 randomised blocks in their place"),
    Declaration("long-runs", "set-up", remark="1 to 300 ms here; counts need no long runs"),
    Declaration("frequent", "set-up", remark="misses of a first-level cache, here one in 100 instructions"),
    Declaration("fifteen", "set-up", remark="15 passes over 32 lengths"),
    Declaration("combining", "set-up", remark="a mean over contexts is one value by definition"),
)


def findings() -> list[str]:
    """What the paper did not know."""
    data = Data(HERE)
    (perl,) = lengths(data, ["perl"]).values()
    ratios = [ratio for _, ratio, _ in perl]
    off = sum(finding.excludes(1) for _, _, finding in perl)
    quantum = across(data)["libquantum O2-O3"]
    faster, slower = votes(quantum)
    further = quantum.across.prediction
    assert further is not None  # noqa: S101 -- 21 contexts
    misses = by_length(data, "d1_misses")
    most = max(misses, key=lambda name: max(map(abs, misses[name])))
    least, largest_gain = gains_by_order(data, "instructions")["libquantum"]
    data_gain = gains_by_order(data, "d1_misses")["libquantum"]
    of_perl, of_most = (100 * max(map(abs, misses[name])) for name in ("perl", most))
    return [
        (
            f"Context bias: a range of {100 * (min(ratios) - 1):+.1f} to {100 * (max(ratios) - 1):+.1f} %"
            f" over {len(perl)} lengths of the environment, the paper's Figure 3, is what chance gives."
            f" Intervals of {off} leave out the mean. Where the effect exists, it is multiples of the run"
            " time."
        ),
        (
            f"In Debian's libquantum {faster} of {quantum.across.contexts} contexts would publish that -O3"
            f" is faster, {slower} that it is slower. What a further context would give spans"
            f" {further.low:.2f} to {further.high:.2f}, as wide as all of them. So a mean over contexts is no"
            " promise for the next."
        ),
        (
            "Counted under cachegrind, lengths of the environment change first-level data misses of perl by"
            f" at most {of_perl:.2f} %. Of seven upstreams of SPEC's programs they change most those of"
            f" {most} ({of_most:.1f} %). Orders of linking leave"
            f" libquantum's gain of -O3 in instructions at {least:.4f} to {largest_gain:.4f} ×. They move"
            f" that in data misses by {100 * (data_gain[1] / data_gain[0] - 1):.2g} %. What they do to its"
            " time is not in caches and predictors of this kind."
        ),
    ]
