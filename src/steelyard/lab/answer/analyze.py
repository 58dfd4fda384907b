"""From a record to its answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from steelyard.core.analysis import Analysis, MeasuredTypeB, TypeB
from steelyard.core.errors import RecordError, UsageError
from steelyard.core.estimand import INTERVALS, PROPAGATED, Estimand, IntervalKind, OnFailures, choose_interval
from steelyard.core.sample import Sample
from steelyard.core.units import BUILTIN, Scalar
from steelyard.lab.answer.boots import confounded_boots
from steelyard.lab.answer.chosen_analysis import choose_analysis
from steelyard.lab.answer.design_facts import closed_at, design_facts, idle_looks, order_of
from steelyard.lab.answer.disturbance import note_cpus, select_disturbed
from steelyard.lab.answer.edited import note_edited, withhold_verdicts
from steelyard.lab.answer.same_program import find_same_programs
from steelyard.lab.answer.status import extent
from steelyard.results.analysis import Answer, DesignFacts
from steelyard.results.notice import Notice
from steelyard.spec.experiment import Experiment, Stop
from steelyard.spec.layout import layout_of
from steelyard.spec.tables.launch import SimulatedLaunch
from steelyard.spec.valgrind import counting
from steelyard.stats.answer import answer
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.describe.reading_step import STEP, find_reading_step
from steelyard.stats.sequential.over_looks import looks_of
from steelyard.store import Disturbance, Reading

if TYPE_CHECKING:
    from steelyard.results.comparison import Comparison
    from steelyard.results.contexts import ByContext
    from steelyard.stats.planning.standing import Standing

TIMED: Final = "wall_s"
"""The metric that is two readings of the clock."""

BESIDE: Final = ("cpu_s", "rss_bytes")
"""Built-in metrics that are shown beside the primary one, without verdicts."""


def analyze(
    record: Reading,
    *,
    metric: str | None = None,
    beside: Sequence[str] = (),
    protocol: str | None = None,
    against: str | Mapping[str, Scalar] | None = None,
    estimand: Estimand | None = None,
    interval: IntervalKind | None = None,
) -> Answer:
    """Answer from the record as far as it is.

    Parameters
    ----------
    metric : str, optional
        Primary metric; by default the one that the spec names.
    beside : sequence of str
        Metrics that are described too, without verdicts, beside those that always are.
    protocol, against : optional
        As ``choose_analysis``.
    estimand, interval : str, optional
        By default those of the spec; a chosen estimand has its own first kind of interval.

    Raises
    ------
    UsageError
        The record has no such metric, or the estimand no such interval; as ``choose_analysis``.
    RecordError
        No complete block yet.
    """
    experiment = record.experiment
    primary = metric or experiment.analysis.metric
    with record.snapshot():
        # In one pass over the trials: of a million, each further one would take half a second.
        names = {its_metric.name for its_metric in record.metrics}
        other_metrics = dict.fromkeys(
            name
            for name in (*_list_other_metrics(experiment, primary), *beside)
            if name != primary and name in names
        )
        samples = record.samples(primary, *other_metrics)
        if primary == experiment.analysis.metric:
            samples = _replace_unended(record, samples, primary)
        observed = {sample.metric.name for sample in samples if len(sample)}
        if primary not in observed:
            raise _make_no_trial_error(record)
        # Once for all that ask: of a million trials each takes a tenth of a second and more.
        so_far, disturbances = extent(record), record.disturbances()
        declared = _make_chosen(_choose_analysis_about(_get_declared(record), primary), estimand, interval)
        stated = (
            *declared.type_b,
            *_get_clock_errors(record, primary),
            *_get_step_errors(record, samples, primary),
        )
        declared = replace(declared, type_b=stated)
        limit = experiment.limit if declared.failures == "as-limit" else None
        analysis = choose_analysis(declared, record.treatments, protocol, against)
        facts = design_facts(record, so_far)
        result = answer(
            experiment.name,
            samples,
            facts,
            analysis,
            to_limit=None if limit is None else record.times_to_limit(limit, primary),
            warnings=_get_warnings(record, analysis, facts, disturbances, so_far.spent_s),
            unobserved=_note_unobserved(record, primary, observed, disturbances),
            layout=layout_of(experiment),
        )
        proof = record.prove_briefly()
    result = withhold_verdicts(replace(result, proof=proof), note_edited(record, proof))
    chosen = _list_chosen_afterwards(experiment.analysis, analysis)
    if against is not None and _get_pairs(samples, analysis) != _get_pairs(samples, declared):
        chosen.append("baseline")
    return _make_exploratory(result, chosen) if chosen else result


def _replace_unended(record: Reading, samples: list[Sample], primary: str) -> list[Sample]:
    """Return times to the limit in place of the primary metric, where each block has a run that timed out."""
    limit = record.experiment.limit
    rest = [sample for sample in samples if sample.metric.name != primary]
    is_empty = not any(len(sample) for sample in samples if sample.metric.name == primary)
    if not is_empty or limit is None:
        return samples
    return [*record.times_to_limit(limit, primary), *rest]


def _list_chosen_afterwards(declared: Analysis, analysis: Analysis) -> list[str]:
    """Name what of the question is not as the experiment declared it."""
    if declared.metric != analysis.metric:
        return ["metric"]
    if declared.estimand != analysis.estimand:
        return ["estimand"]
    kinds = (choose_interval(choice.estimand, choice.interval) for choice in (declared, analysis))
    return ["interval"] if len(set(kinds)) > 1 else []


def _get_pairs(samples: Sequence[Sample], declared: Analysis) -> list[tuple[int, int]]:
    chosen = [sample for sample in samples if sample.metric.name == declared.metric]
    return [
        (pair.baseline.treatment.id, pair.treatment.treatment.id) for pair in pair_up(chosen, declared).pairs
    ]


def _make_exploratory(result: Answer, chosen: Sequence[str]) -> Answer:
    """Return the answer, whose verdicts are marked as those of a question that was asked after the run."""
    notice = Notice("exploratory", (), {"names": " and ".join(chosen)})
    return replace(
        result,
        comparisons=tuple(
            replace(comparison, exploratory=True) if comparison.verdict else comparison
            for comparison in result.comparisons
        ),
        warnings=(notice, *result.warnings),
    )


def analyze_by_context(record: Reading, *, metric: str | None = None) -> ByContext:
    """Show every treatment and comparison context by context: what one person with one set-up would see.

    Raises
    ------
    UsageError
        The experiment draws no contexts, or the metric is unknown.
    RecordError
        No block is complete yet, as ``analyze`` says.
    """
    # Imported where they are asked for: an answer does without.
    from steelyard.results.contexts import ByContext, Profile
    from steelyard.stats.contexts.profile import profile
    from steelyard.stats.contexts.visits import same_contexts

    experiment = record.experiment
    result = analyze(record, metric=metric)
    settings = {
        outcome.block.context.id: outcome.block.context.settings
        for outcome in record.stream_outcomes()
        if outcome.block.context is not None
    }
    if len({tuple(setting.items()) for setting in settings.values()}) < 2:
        raise UsageError(
            f"{record.directory} has one context only", hint='draw some: env_bytes = "random" in [contexts]'
        )
    samples = record.samples(metric or experiment.analysis.metric)
    profiles = (profile(same_contexts(sample, result.design.drawn_before), settings) for sample in samples)
    profiles_of = tuple(item for item in profiles if isinstance(item, Profile))
    return ByContext(experiment.name, profiles_of, result.contexts)


def _make_no_trial_error(record: Reading) -> RecordError:
    """Make the error for a record without a complete block."""
    runs, progress = record.runs(), record.progress()
    if (spoilt := progress.blocks.get("incomplete", 0)) and record.experiment.keeps_failures:
        blocks = "the only block has" if spoilt == 1 else f"each of {spoilt} blocks has"
        return RecordError(
            f"{record.directory}: {blocks} a run that failed, and no comparison of times counts those"
            f" ({progress.failed} of {progress.trials} runs)",
            hint=f"steelyard solvers {record.directory} counts every run; steelyard status says which failed",
        )
    if progress.trials and progress.failed == progress.trials:
        ended = "the only run" if progress.trials == 1 else f"each of {progress.trials} runs"
        return RecordError(
            f"{record.directory}: {ended} failed, and nothing is left to compare",
            hint="correct what failed and run again; of imported files, --failures count takes their values",
        )
    if runs and runs[-1].state in ("complete", "precision_not_reached"):
        return RecordError(
            f"{record.directory}: time ran out before every treatment had run once"
            f" ({record.progress().trials} trials ended)",
            hint="give it more: --max-time with compare, max_time under [design] stop in a spec",
        )
    return RecordError(
        f"{record.directory} has no complete block to analyze yet",
        hint=f"steelyard status {record.directory}",
    )


def _choose_analysis_about(declared: Analysis, metric: str) -> Analysis:
    """Return the declaration about another metric, whose limits and stated uncertainties are unknown."""
    if metric == declared.metric:
        return declared
    failures: OnFailures = "refuse" if declared.failures == "as-limit" else declared.failures
    return replace(declared, metric=metric, failures=failures, type_b=())


def _make_chosen(declared: Analysis, estimand: Estimand | None, interval: IntervalKind | None) -> Analysis:
    """Return the declaration of the spec, with the estimand and interval that were asked for."""
    chosen_estimand = estimand or declared.estimand
    if chosen_estimand not in INTERVALS:
        raise UsageError(f"unknown estimand {chosen_estimand!r}", hint=f"one of: {', '.join(INTERVALS)}")
    kind = interval or (declared.interval if estimand in (None, declared.estimand) else None)
    if kind is not None and kind not in INTERVALS[chosen_estimand]:
        raise UsageError(
            f"{chosen_estimand} has no interval by {kind}",
            hint=f"--interval with one of: {', '.join(INTERVALS[chosen_estimand])}",
        )
    if declared.failures == "as-limit" and chosen_estimand != "median_ratio":
        raise UsageError(
            f"the spec counts runs that timed out as at least the limit, which {chosen_estimand} cannot",
            hint="--estimand median_ratio",
        )
    by = kind or INTERVALS[chosen_estimand][0]
    if declared.type_b and by not in PROPAGATED:
        raise UsageError(
            f"the spec states uncertainties, for which an interval by {by} has no place",
            hint="--estimand geomean_ratio, or ratio_of_means, by log-delta; or leave analysis.type_b out",
        )
    return replace(declared, estimand=chosen_estimand, interval=kind)


def declared_of(record: Reading, metric: str) -> Analysis:
    """Return the declaration of the spec about any metric, the errors of the clock included.

    It has the level that the looks at the record leave it.
    """
    declared = _choose_analysis_about(_get_declared(record), metric)
    looks = looks_of(design_facts(record, extent(record)))
    alpha = declared.alpha if looks is None else looks.level(declared.alpha)
    has_steps = metric not in BUILTIN and _is_of_files(record)
    steps = _get_step_errors(record, record.samples(metric), metric) if has_steps else ()
    stated = (*declared.type_b, *_get_clock_errors(record, metric), *steps)
    return replace(declared, alpha=alpha, type_b=stated)


def standing_of(record: Reading, complete: int, *, last: bool = False) -> Standing:
    """Tell how far the question is answered at a look after so many complete blocks.

    The question is of effects where the design asks for them, else of comparisons. ``last`` says that a limit
    lets no other look follow.
    """
    # Imported where a look needs it: an answer does without.
    from steelyard.stats.compare.comparison import compare
    from steelyard.stats.describe.instances import pool
    from steelyard.stats.effects.precision import effects_precision
    from steelyard.stats.planning.precision import precision
    from steelyard.stats.planning.standing import standing

    experiment, declared = record.experiment, _get_declared(record)
    stop = experiment.design.stop or Stop()
    target = None if stop.decided else stop.rel_halfwidth or math.inf
    samples, order = record.samples(experiment.analysis.metric), order_of(experiment)
    if effects := effects_precision(samples, layout_of(experiment), declared, order=order):
        return standing(effects, (), target)
    judged: tuple[Comparison, ...] = ()
    looks = None
    if len(record.treatments) > 1:
        facts = DesignFacts(
            order,
            complete,
            experiment.design.seed,
            looks=tuple(look.blocks for look in record.looks()),
            extended_from=tuple(extension.from_blocks for extension in record.extensions()),
            decided=stop.decided,
            until=stop.until,
            closed=complete if last else closed_at(record),
            idle=idle_looks(record),
            target=stop.rel_halfwidth,
        )
        looks = looks_of(facts)
        pooled = samples if declared.instances is None else pool(samples, declared.instances)
        judged = compare(pooled, declared, order=order, looks=looks)
    reached = precision(samples, declared, order=order, looks=looks)
    return standing(reached, judged, target, rel_effect=stop.rel_effect, until=stop.until)


def _get_declared(record: Reading) -> Analysis:
    analysis, design = record.experiment.analysis, record.experiment.design
    seed = design.seed if analysis.seed is None else analysis.seed
    return replace(analysis, seed=seed)


def _get_clock_errors(record: Reading, metric: str) -> tuple[TypeB, ...]:
    """State what the clock adds to the uncertainty of elapsed times.

    It adds its step, one error per treatment, and the cost of a reading, an error that all share.

    Both are the largest that any run found, and upper bounds: u = size / sqrt(12) for an error anywhere
    between 0 and the size (GUM F.2.2.1).
    """
    if metric != TIMED:
        return ()
    facts = [run.host for run in record.runs()]
    errors = []
    for name, key, shared in (
        ("step of the clock", "clock_step_s", False),
        ("cost of reading the clock", "clock_cost_s", True),
    ):
        sizes = [float(host[key]) for host in facts if isinstance(host.get(key), int | float)]
        if sizes and max(sizes) > 0:
            errors.append(MeasuredTypeB(name, step=max(sizes), shared=shared))
    return tuple(errors)


def _get_step_errors(record: Reading, samples: Sequence[Sample], metric: str) -> tuple[TypeB, ...]:
    """State what the step of a clock, a sensor or a printed digit adds where values do not vary beyond it.

    Of files of other tools, whose digits are all that is known of their readings; a spec states such errors
    of its own metrics (``type_b``).
    """
    if not _is_of_files(record):
        return ()
    step = find_reading_step([sample for sample in samples if sample.metric.name == metric])
    return () if step is None else (MeasuredTypeB(STEP, step=step),)


def _is_of_files(record: Reading) -> bool:
    """Whether a record was made of other tools' files, not of values that Steelyard has kept."""
    return any("imported_from" in facts and facts.get("sha256") for facts in record.program.values())


def _list_other_metrics(experiment: Experiment, primary: str) -> Sequence[str]:
    declared = (*experiment.program.counters, *(metric.name for metric in experiment.metrics))
    return (
        *declared,
        *(name for name in BESIDE if primary in BUILTIN),
        # Under valgrind, the time is valgrind's; under a simulator, the simulator's.
        *(
            []
            if primary == "wall_s" or counting(experiment) or _simulated(experiment, primary)
            else ["wall_s"]
        ),
    )


def _simulated(experiment: Experiment, primary: str) -> bool:
    """Whether the primary metric is that of a simulated machine, which this one's load cannot disturb."""
    measured_here = primary in BUILTIN or primary in experiment.program.counters
    return isinstance(experiment.launch, SimulatedLaunch) and not measured_here


def _get_warnings(
    record: Reading,
    analysis: Analysis,
    facts: DesignFacts,
    disturbances: Mapping[int, Disturbance],
    spent_s: float,
) -> list[Notice]:
    """Warnings noted during the run, and of other programs or machines that used the CPUs."""
    notices = [Notice("note", fields={"text": warning.text}) for warning in record.warnings()]
    notices += find_same_programs(record.program)
    if confounded := confounded_boots(record):
        notices.append(Notice("note", fields={"text": confounded}))
    if tool := counting(record.experiment):
        # Who else used the CPUs changes no count.
        text = (
            f"every trial ran under {tool}, whose counts are exact: no time in this record is the program's"
        )
        return [*notices, Notice("note", fields={"text": text})]
    if _simulated(record.experiment, analysis.metric):
        return notices
    labels = {treatment.id: treatment.label for treatment in record.treatments}
    among = select_disturbed(disturbances.values())
    names = tuple(labels[disturbance.treatment] for disturbance in among)
    notices += note_cpus(record, names, among, spent_s)
    if len(record.treatments) > 1 and any(notice.kind == "disturbed" for notice in notices):
        # Imported where something is compared: an answer about one program does without.
        from steelyard.lab.answer.cpu_time import note_cpu_time

        notices += note_cpu_time(record, analysis, facts)
    return notices


def _note_unobserved(
    record: Reading, primary: str, observed: AbstractSet[str], disturbances: Mapping[int, Disturbance]
) -> list[Notice]:
    """Limitations of what was observed, as far as the record knows."""
    experiment = record.experiment
    elsewhere = record.imported or _simulated(experiment, primary)
    notices = [] if elsewhere else _note_unobserved_waits(record, disturbances)
    notices += _note_idle_power(record)
    missing = [name for name in experiment.program.counters if name not in observed]
    if missing:
        notices.append(Notice("counters", fields={"names": ", ".join(missing)}))
    return notices


def _note_idle_power(record: Reading) -> list[Notice]:
    """Return what counters of energy contain beside the program."""
    idle: dict[str, float] = {}
    for run in record.runs():
        facts = {name: run.host.get(f"{name}_idle_w") for name in record.experiment.program.counters}
        idle |= {name: value for name, value in facts.items() if isinstance(value, float)}
    return [
        Notice("idle_power", fields={"metric": name, "watts": f"{watts:.3g}"}) for name, watts in idle.items()
    ]


def _note_unobserved_waits(record: Reading, disturbances: Mapping[int, Disturbance]) -> list[Notice]:
    if not any(disturbance.observed for disturbance in disturbances.values()) and not all(
        # Found at the end of a run: one that was killed does not know.
        run.host.get("queue_wait_available", True)
        for run in record.runs()
    ):
        return [Notice("queue_wait")]
    if any(disturbance.observed < disturbance.trials for disturbance in disturbances.values()):
        return [Notice("queue_wait_of_short")]
    return []
