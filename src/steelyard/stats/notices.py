"""Warnings and limitations that follow from the samples themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from steelyard.core.analysis import Analysis
from steelyard.core.estimand import OnFailures
from steelyard.core.sample import Treatment
from steelyard.core.units import Scalar
from steelyard.results.analysis import DesignFacts
from steelyard.results.flags import FEW_BLOCKS, Flag
from steelyard.results.notice import Kind, Notice
from steelyard.results.samples import Autocorrelation, Described
from steelyard.stats.planning.unseen import unseen_share
from steelyard.stats.sequential.over_looks import looks_of

if TYPE_CHECKING:  # what compares loads half of this room, which an answer about one treatment does without
    from steelyard.results.comparison import Comparison


TICK_S: Final = 0.1
"""User and system time alone are sampled at clock ticks; means below this say little."""

_OF_POLICY: Final[dict[OnFailures, Kind]] = {
    "refuse": "failures_unequal",
    "ignore": "failures_ignored",
    "as-limit": "failures_as_limit",
}

HIGH_CV: Final = 0.1
"""Relative spread above which a sample of several instances is asked which of them makes it."""


def warnings_of(
    facts: DesignFacts,
    samples: Sequence[Described],
    comparisons: Sequence[Comparison],
    lonely: Sequence[Treatment],
    declared: Analysis,
) -> tuple[Notice, ...]:
    """About the run, about samples of the primary metric, about comparisons; the gravest first."""
    alone = len(samples) == 1 and not comparisons
    return (
        *_note_run(facts, samples, declared.alpha),
        *_note_provenance(samples),
        *_note_failures(samples, comparisons, declared.failures),
        *(_note_mean(samples[0]) if alone else []),
        *_note_values(facts, samples, alone=alone),
        *_note_comparisons(facts, comparisons),
        *([Notice("no_baseline", tuple(treatment.label for treatment in lonely))] if lonely else []),
    )


def limits_of(
    facts: DesignFacts, primary: Sequence[Described], describeds: Sequence[Described]
) -> tuple[Notice, ...]:
    """Limitations of this kind of repetition, whatever the values are."""
    limits: list[Notice] = []
    if runs := min((sample.summary.n for sample in primary if sample.summary.n), default=0):
        limits.append(Notice("modes_unseen", (), {"runs": runs, "share": unseen_share(runs)}))
    if facts.machines:
        limits.append(
            Notice("machines_unseen", (), {"machines": facts.contexts, "share": unseen_share(facts.contexts)})
        )
    elif facts.contexts:
        limits.append(
            Notice("contexts_unseen", (), {"contexts": facts.contexts, "share": unseen_share(facts.contexts)})
        )
        if not facts.code_varied:
            limits.append(Notice("one_code_layout"))
        if facts.layout_per_launch:
            limits.append(Notice("layout_per_launch"))
    else:
        limits.append(Notice("one_context"))
    split = [
        s
        for s in (*primary, *describeds)
        if s.metric.name in ("user_s", "system_s") and (s.summary.mean or 0.0) < TICK_S
    ]
    if names := dict.fromkeys(sample.metric.name for sample in split):
        limits.append(Notice("below_tick", (), {"metrics": ", ".join(names), "tick_s": TICK_S}))
    return tuple(limits)


def _note_run(facts: DesignFacts, samples: Sequence[Described], alpha: float) -> list[Notice]:
    notices: list[Notice] = []
    if facts.state == "running":
        notices.append(Notice("running", (), {"blocks": facts.blocks}))
    if facts.state == "interrupted":
        notices.append(Notice("interrupted", (), {"blocks": facts.blocks}))
    if facts.state == "precision_not_reached" and not facts.decided:  # whose verdict and interval say it
        fields = {"target": facts.target, "reached": facts.reached, "cap": facts.cap, "blocks": facts.blocks}
        notices.append(
            Notice("precision_not_reached", (), {name: v for name, v in fields.items() if v is not None})
        )
    if facts.extended_from and (looks := looks_of(facts)):
        times, blocks, level = len(facts.extended_from), facts.extended_from[0], looks.level(alpha)
        notices.append(Notice("extended", (), {"times": times, "blocks": blocks, "alpha": level}))
    if facts.order == "sequential" and len({sample.treatment.id for sample in samples}) > 1:
        notices.append(Notice("sequential_order"))
    blocked = facts.order != "sequential"
    n = facts.blocks if blocked else min(sample.summary.n for sample in samples)
    if 0 < n < FEW_BLOCKS:
        notices.append(Notice("few_blocks", (), {"n": n, "wanted": FEW_BLOCKS, "blocked": blocked}))
    return notices


def _note_provenance(samples: Sequence[Described]) -> list[Notice]:
    notices = [Notice("simulated")] if _flag(samples, "simulated") else []
    if crowded := _flag(samples, "crowded"):
        notices.append(Notice("crowded", tuple(dict.fromkeys(_get_labels(crowded)))))
    if alone := _flag(samples, "one_process"):
        notices.append(Notice("one_process", _get_labels(alone)))
    return notices


def _note_failures(
    samples: Sequence[Described], comparisons: Sequence[Comparison], failures: OnFailures
) -> list[Notice]:
    notices: list[Notice] = []
    by_treatment = {sample.treatment.id: sample for sample in samples if sample.failures.failed}
    for sample in by_treatment.values():
        counts = sample.failures
        fields: dict[str, Scalar] = {
            "failed": counts.failed,
            "timed_out": counts.timed_out,
            "attempted": counts.attempted,
            **({"reason": counts.reason} if counts.reason else {}),
        }
        notices.append(Notice("failures", (sample.treatment.label,), fields))
    censored = [
        comparison
        for comparison in comparisons
        if "failures_unequal" in comparison.flags or "timed_out" in comparison.flags
    ]
    if censored:
        failed = dict.fromkeys(
            side.label
            for comparison in censored
            for side in (comparison.treatment, comparison.baseline)
            if side.id in by_treatment
        )
        notices.append(Notice(_OF_POLICY[failures], tuple(failed)))
    return notices


def _note_mean(sample: Described) -> list[Notice]:
    """Warning about the mean of a treatment without comparison whose neighbours in time are correlated."""
    alike = sample.autocorrelation
    if alike is None or not alike.significant:
        return []
    fields = {"r1": alike.r1, "n": alike.n, "n_eff": alike.n_eff}
    return [Notice("autocorrelated_mean", (sample.treatment.label,), fields)]


def _note_values(facts: DesignFacts, samples: Sequence[Described], *, alone: bool) -> list[Notice]:
    notices: list[Notice] = []
    if odd := _flag(samples, "not_finite"):
        notices.append(Notice("not_finite", _get_labels(odd)))
    # Blocks of several machines stand in no order of time.
    if not facts.machines and (drifting := _flag(samples, "trend")):
        order = {"blocked": facts.order != "sequential", "alone": alone}
        notices.append(Notice("trend", _get_labels(drifting), order))
    for sample in samples:
        if (far := sample.outliers) is not None:
            fields = {"count": far.count, "n": sample.summary.n, "farthest": far.farthest}
            notices.append(Notice("outliers", (sample.treatment.label,), fields))
        if (two := sample.gap) is not None:
            grouped = {"share": two.share, "ratio": two.ratio}
            notices.append(Notice("bimodal", (sample.treatment.label,), grouped))
        if sample.dominating is not None:
            carried = {"share": sample.dominating, "n": sample.summary.n}
            notices.append(Notice("dominated", (sample.treatment.label,), carried))
    notices += [notice for sample in samples if (notice := _make_instance(sample)) is not None]
    if coarse := _flag(samples, "resolution"):
        step = max(sample.step or 0.0 for sample in coarse)
        notices.append(
            Notice("resolution", _get_labels(coarse), {"step": step, "unit": coarse[0].metric.unit})
        )
    return notices


def _make_instance(sample: Described) -> Notice | None:
    """Name the instance that causes a high spread; without it, s reads as if runs were that different."""
    cv, drill = sample.summary.cv, sample.drill
    if drill is None or cv is None or cv < HIGH_CV:
        return None
    most = drill.largest
    fields = {"factor": drill.factor, "instance": most.level, "cv": cv, "share": most.share}
    ratio = most.mean / sample.summary.mean if sample.summary.mean else 0.0
    return Notice("instance_carries", (sample.treatment.label,), fields | {"ratio": ratio})


def _note_comparisons(facts: DesignFacts, comparisons: Sequence[Comparison]) -> list[Notice]:
    notices: list[Notice] = []
    few = [comparison for comparison in comparisons if "autocorrelated_few" in comparison.flags]
    rest = [comparison for comparison in comparisons if "autocorrelated_few" not in comparison.flags]
    many = [comparison for comparison in rest if "autocorrelated" in comparison.flags]
    blocked = facts.order != "sequential"
    if worst := _make_worst(few):
        from steelyard.stats.describe.dependence import FEW_LARGEST

        fields = {"r1": worst.r1, "n": worst.n, "most": FEW_LARGEST, "blocked": blocked}
        notices.append(Notice("autocorrelated_few", _get_new_labels(few), fields))
    if worst := _make_worst(many):
        fields = {"r1": worst.r1, "n": worst.n, "n_eff": worst.n_eff, "blocked": blocked}
        notices.append(Notice("autocorrelated", _get_new_labels(many), fields))
    for slow in {
        comparison.slow.treatment.id: comparison.slow
        for comparison in comparisons
        if comparison.slow is not None
    }.values():
        fields = {"count": slow.runs, "n": slow.n, "ratio": slow.times, "within": slow.within}
        fields |= {"low": slow.share95.low, "high": slow.share95.high}
        notices.append(Notice("slow_mode", (slow.treatment.label,), fields))
    if drifting := [
        comparison
        for comparison in comparisons
        if "trend" in comparison.flags and "sequential_order" not in comparison.flags
    ]:
        notices.append(Notice("trend_of_difference", _get_new_labels(drifting)))
    if apart := [comparison for comparison in comparisons if "two_sessions" in comparison.flags]:
        notices.append(Notice("two_sessions", _get_new_labels(apart)))
    if dropped := [comparison for comparison in comparisons if "unmatched_blocks" in comparison.flags]:
        notices.append(Notice("unmatched_blocks", _get_new_labels(dropped)))
    if uneven := [comparison for comparison in comparisons if "unbalanced_contexts" in comparison.flags]:
        notices.append(Notice("unbalanced_contexts", _get_new_labels(uneven)))
    return notices


def _make_worst(correlated: Sequence[Comparison]) -> Autocorrelation | None:
    autocorrelations = [
        comparison.autocorrelation for comparison in correlated if comparison.autocorrelation is not None
    ]
    return min(autocorrelations, key=lambda correlation: correlation.n_eff / correlation.n, default=None)


def _flag(samples: Sequence[Described], flag: Flag) -> list[Described]:
    return [sample for sample in samples if flag in sample.flags]


def _get_labels(samples: Sequence[Described]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sample.treatment.label for sample in samples))


def _get_new_labels(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(comparison.treatment.label for comparison in comparisons))


LONGER: Final = 1.1
"""Times the trial from which on it is told: clocks differ by less, and ranks together take twice as long."""


def doubtful_units(samples: Sequence[Described]) -> list[Notice]:
    """Warn of each metric of the program in seconds whose mean exceeds that of ``wall_s``.

    The notice is of the treatment in which it does so most.

    Simulated times are left out: a simulated second takes as long as it likes.
    """
    walls = {s.treatment.id: s.summary.mean for s in samples if s.metric.name == "wall_s" and not s.labels}
    worst: dict[str, tuple[float, Described]] = {}
    for sample in samples:
        wall, mean = walls.get(sample.treatment.id), sample.summary.mean
        is_stated = (
            sample.metric.kind == "user" and sample.metric.unit == "s" and sample.provenance != "simulated"
        )
        if is_stated and wall and mean is not None and mean > LONGER * wall:
            name = sample.metric.name
            worst[name] = max(worst.get(name, (0.0, sample)), (mean / wall, sample), key=lambda pair: pair[0])
    return [
        Notice(
            "longer_than_trial",
            (sample.treatment.label,),
            {
                "metric": name,
                "value": sample.summary.mean or 0.0,
                "wall_s": walls[sample.treatment.id] or 0.0,
            },
        )
        for name, (_, sample) in worst.items()
    ]
