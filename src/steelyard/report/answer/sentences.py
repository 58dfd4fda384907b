"""Notices in words: warnings, and what could not be observed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from steelyard.core.units import Metric, Scalar, format_quantity
from steelyard.report.answer.words import Names, format_comparative
from steelyard.report.text.digits import bounds, percent, ratio
from steelyard.report.text.label import join_names, plural, printable, shorten
from steelyard.results.flags import EARLY, ENOUGH
from steelyard.results.interval import Interval
from steelyard.results.notice import Kind, Notice

_LONGEST_REASON: Final = 120
"""Columns of the reason of a failure."""

_SENTENCES: Final[dict[Kind, str]] = {
    "edited": "{record} was {words}. Nothing is judged by it.",
    "exploratory": "Exploratory: {names} chosen after the run, when the values may have been seen. `check` "
    "ignores verdicts in parentheses. Declare the choice in the spec, and confirm it in a new run.",
    "running": "The experiment is still running; this is after {blocks}.",
    "interrupted": "The run was interrupted after {blocks}; it can be continued.",
    "precision_not_reached": "The requested precision {outcome}.",
    "extended": "Blocks were added {times} after an answer from {blocks}. p-values and intervals hold over "
    "all answers (this one is judged at {alpha}), which accounts for adding blocks after looking.",
    "sequential_order": "One treatment ran after the other: any drift of the machine counts as a difference, "
    "and no interval accounts for it.",
    "disturbed": "{who}: {share} of the elapsed time was spent waiting for a CPU that something else used; "
    "CPU time (cpu_s) leaves it out.",
    "throttled": "{quota} stopped the programs' control group for {throttled_s} in all, summed over its CPUs:"
    " elapsed times contain that, CPU time (cpu_s) leaves it out. Raise the quota.",
    "stolen": "The hypervisor gave {share} of the time to other machines; steal is charged to no program.",
    "overheated": "Processors slowed down for heat {times} times during the runs: elapsed times before and"
    " after differ in more than the program. Cool the machine, or fix the frequency.",
    "swapped": "The machine swapped {moved} during the runs, for any of its processes: elapsed times may"
    " contain waits for the disk.",
    "other_libraries": "{libraries} changed between the records, and the programs that use them did not: the"
    " difference may lie there.",
    "other_code": "{libraries} changed between the records, and the programs that use them did not: no"
    " verdict. --across-libraries judges all the same, where that change is the question.",
    "same_program": "{programs} are the same program, byte for byte; only names, arguments and paths differ.",
    "few_blocks": "Only {n} {what}: {shape} (use {wanted} or more).",
    "autocorrelated": "{who}: {what} are correlated (r1 = {r1}): {n} are worth {n_eff} independent ones; "
    "p-value and interval allow for that.",
    "autocorrelated_few": "{who}: {what} are correlated (r1 = {r1}), and {n} are too few to estimate how "
    "strongly; p-value and interval allow for an autocorrelation of up to {most}.",
    "autocorrelated_mean": "{who}: successive runs are correlated (r1 = {r1}): {n} runs are worth {n_eff}; "
    "the standard error is too small.",
    "slow_mode": "{who}: {count} of {n} runs are slow ({ratio} × the rest; {low} to {high} of all runs, 95 % "
    "sure); the treatment that it is compared with has none. Without the slow runs the ratio of medians "
    'is {within}. Run more to estimate how often; use estimand = "quantile" to measure the cost.',
    "by_cpu_time": "By CPU time, {treatment} {outcome} {baseline} ({level} CI {bounds}).",
    "trend": "{who}: times drift during the run; {drift}.",
    "trend_of_difference": "{who}: the difference itself drifts during the run; the ratio is its average.",
    "carry_over": "{treatment} is {times} × {direction} right after {predecessor} than {otherwise} ({alone} "
    "and {control_runs}): they share something (files, caches, a server), and the ratio contains that. Reset "
    "it before each run, or give each a copy of its own; compare --isolate gives each run files of its own.",
    "outliers": "{who}: {count} of {n} values are outliers, the farthest at {farthest} × the median; "
    "none is discarded.",
    "bimodal": "{who}: values fall into two groups, {ratio} × apart, the smaller with {share} of the values; "
    "the mean describes neither.",
    "dominated": "{who}: one of {n} values accounts for {share} of the variance and dominates mean and "
    "interval.",
    "instance_carries": "{who}: CV {cv}; {factor} = {instance} ({ratio} × the mean) carries {share} of the "
    "sum of squares.",
    "resolution": "{who}: {steps}",
    "longer_than_trial": "{who}: {metric} is {value} in trials that took {wall_s}; values in milliseconds "
    'need unit = "ms" (or a derived metric in seconds); ignore this for sums over threads or ranks.',
    "failures": "{who}: {failed} of {attempted} runs failed{in_time}{cause}.",
    "simulated": "Simulated: these values come from a computed machine, not from a measurement.",
    "crowded": "{who}: oversubscribed (more ranks than CPUs): times are not judged.",
    "one_process": "{who}: all repetitions come from one process: variation between launches (memory layout, "
    "for example) is not covered by any interval.",
    "two_sessions": "{who}: one file each, so that verdicts hold for these two sessions: variation between "
    "sessions is not covered by any interval. Several files of a name (NAME=FILE) make sessions the units.",
    "failures_unequal": "No verdict with {who}: the runs that failed or timed out are not missing at random. "
    'In a spec, failures = "ignore" under [analysis] judges the others.',
    "failures_as_limit": "{who}: runs that timed out count as at least the limit, as declared; any other "
    "failure leaves a comparison without a verdict.",
    "failures_ignored": "{who}: judged although runs failed or timed out, as declared.",
    "unmatched_blocks": "{who}: some blocks lack a value of one side and are in no comparison.",
    "unbalanced_contexts": "{who}: contexts (or machines) were visited unequally often; each counts once.",
    "not_finite": "{who}: a value is not a finite number; nothing is computed.",
    "pairing_given_up": "The protocol compares single launches: it treats what blocks share as noise. "
    "The paired analysis of the same runs stands beside it.",
    "pseudo_replication": "The protocol assumes independent launches, but {cause_of}: the effective n is "
    "smaller.",
    "no_baseline": "{who}: not compared: the design has no matching baseline.",
    "modes_unseen": "Behaviour that occurs in fewer than {share} of runs ({runs} of each, 95 % sure).",
    "machines_unseen": "Kinds of machine that are rarer than {share} ({machines}, 95 % sure).",
    "contexts_unseen": "Kinds of context that are rarer than {share} ({contexts}, 95 % sure).",
    "one_context": "Other contexts: no interval covers the effect of another environment size, other paths "
    "or another link order.",
    "one_code_layout": "Other layouts of the code: each program is one build, and no interval covers the "
    'effect of another link order or padding. code = "random" in the [contexts] of a spec draws builds.',
    "layout_per_launch": "One layout for each context: address randomisation was on, so every launch drew "
    "its own layout. A context is all other settings.",
    "below_tick": "{metrics}: sampled at clock ticks, unreliable below {tick_s} s.",
    "counters": "Counters ({names}): not available on this machine.",
    "idle_power": "Energy of the program alone: {metric} counts everything that runs in its domain; "
    "{watts} W was drawn while a program slept before the run.",
    "queue_wait": "Time spent waiting for a CPU: not available on this machine.",
    "queue_wait_of_short": "Time spent waiting for a CPU in runs below 0.5 ms (reading it disturbs them).",
    "note": "{text}",
}

_SHORT: Final = 4
_LONG: Final = 2
"""Treatments that are named, by names of one level and of several."""
_COUNTS: Final = {
    "blocks": "block",
    "times": "time",
    "contexts": "context",
    "machines": "machine",
    "runs": "run",
    "control_runs": "run",
}
_WIDTHS: Final = {"reached": "reached", "target": "requested"}
_FORMATS: Final = {
    "r1": ".2f",
    "n_eff": ".0f",
    "farthest": ".3g",
    "ratio": ".3g",
    "within": ".4g",
    "alpha": ".2g",
    "tick_s": "g",
}


def format_notice(about: Notice, names: Names, *, up_to: Mapping[str, Scalar] | None = None) -> str:
    """Return the sentence of a notice.

    Only our own sentences are templates; what the fields hold is never read as one.

    Parameters
    ----------
    up_to : Mapping, optional
        The upper ends of fields that are not the same in all treatments.
    """
    text = _name_treatments(about.treatments, names)
    texts = {key: _format_field(key, value) for key, value in about.fields.items()}
    for key, high in (up_to or {}).items():
        if (end := _format_field(key, high)) != texts[key]:
            texts[key] = f"{texts[key].removesuffix(' %') if end.endswith(' %') else texts[key]} to {end}"
    phrases = _get_phrases(about, up_to or {})
    if about.kind == "carry_over":
        phrases |= _describe_carry_over(about, names)
    if about.kind == "by_cpu_time":
        return _SENTENCES[about.kind].format(**_describe_cpu_time(about, names))
    return _SENTENCES[about.kind].format(who=text, **texts, **phrases)


def _name_treatments(labels: Sequence[str], names: Names) -> str:
    """Return the treatments by name, as far as that is short."""
    if len(labels) > 2 and set(labels) == set(names):
        return "all treatments"
    texts = [names.get(label) or printable(label) for label in labels]
    return join_names(texts, _LONG if any(", " in name for name in texts) else _SHORT)


def _format_field(key: str, value: Scalar) -> str:
    if key in ("share", "cv", "low", "high") and isinstance(value, float):
        return percent(value)
    if key in ("value", "wall_s", "throttled_s") and isinstance(value, float):
        return format_quantity(value, "s")
    if key == "moved" and isinstance(value, float):
        return format_quantity(value, "B")
    if key in _COUNTS and isinstance(value, int):
        return plural(value, _COUNTS[key])
    return format(value, _FORMATS[key]) if key in _FORMATS else printable(str(value))


def _get_phrases(about: Notice, most: Mapping[str, Scalar]) -> dict[str, str]:
    """Parts of sentences that hang on more than one field."""
    fields = about.fields
    phrases: dict[str, str] = {}
    if about.kind == "precision_not_reached":
        phrases["outcome"] = _format_precision(fields)
    elif about.kind == "few_blocks":
        plural = "" if fields["n"] == 1 else "s"
        phrases["what"] = f"block{plural}" if fields["blocked"] else f"run{plural} of each treatment"
        shape = "log-ratios that are near normal" if fields["blocked"] else "log-normal times"
        phrases["shape"] = f"intervals assume {shape}" if plural else "there is no interval"
    elif about.kind in ("autocorrelated", "autocorrelated_few"):
        phrases["what"] = "differences of successive blocks" if fields["blocked"] else "successive runs"
    elif about.kind == "trend":
        if fields["alone"]:
            phrases["drift"] = "the mean averages over a machine that changed"
        elif fields["blocked"]:
            phrases["drift"] = "comparisons are corrected for that, s and CV are not"
        else:
            phrases["drift"] = "without blocks, the drift is part of the difference"
    elif about.kind == "resolution":
        step = format_quantity(float(fields["step"]), str(fields["unit"]), 2)
        steps = f"values come in steps of {step}; a spread of that size describes the clock."
        equal = "a simulation that repeats to the bit, or a clock too coarse to tell them apart."
        phrases["steps"] = steps if fields["step"] else f"all values are equal: {equal}"
    elif about.kind == "pseudo_replication":
        order = "launches of one treatment ran one after the other, under the same drift and context"
        contexts = "launches of one context are correlated"
        phrases["cause_of"] = order if fields["cause"] == "order" else contexts
    elif about.kind == "failures":
        late = f"up to {most['timed_out']}" if "timed_out" in most else fields["timed_out"]
        phrases["in_time"] = f", {late} of them timed out" if late else ""
        reason = printable(shorten(str(fields.get("reason", "")), _LONGEST_REASON))
        phrases["cause"] = f": {reason}" if reason and fields["timed_out"] != fields["failed"] else ""
    return phrases


def _describe_carry_over(about: Notice, names: Names) -> dict[str, str]:
    treatment, predecessor = (_name_treatments([label], names) for label in about.treatments)
    change, unit = float(about.fields["ratio"]), str(about.fields["unit"])
    metric = Metric("", unit, "user", "higher" if about.fields["better"] == "higher" else "lower", "")
    return {
        "treatment": treatment,
        "predecessor": predecessor,
        "times": f"{max(change, 1 / change):.3g}",
        "direction": format_comparative(metric, better=(change > 1) == (metric.better == "higher")),
        "alone": format(about.fields["runs"]),
        "otherwise": "after itself" if about.fields["is_of_two"] else "after others",
    }


def _describe_cpu_time(about: Notice, names: Names) -> dict[str, str]:
    treatment, baseline = (_name_treatments([label], names) for label in about.treatments)
    speedup, low, high = (float(about.fields[key]) for key in ("speedup", "lowest", "highest"))
    if speedup < 1:
        speedup, low, high = 1 / speedup, 1 / high, 1 / low
    verdict, interval = about.fields["verdict"], Interval(low, high)
    outcome = f"is {ratio(speedup, interval)} × {verdict} than"
    if verdict == "not_resolved":
        outcome = "is not shown to differ from"
    return {
        "treatment": treatment,
        "outcome": outcome,
        "baseline": baseline,
        "level": percent(float(about.fields["level"])),
        "bounds": bounds(speedup, interval),
    }


def _format_precision(it: Mapping[str, Scalar]) -> str:
    """How the precision wanted was missed; so few blocks may have reached it that it is not relied on."""
    blocks = plural(int(it["blocks"]), "block")
    widths = {key: float(it[key]) for key in _WIDTHS if key in it}
    reached, target = (widths.get(key, math.inf) for key in ("reached", "target"))
    if reached <= target < math.inf:
        early = int(it["blocks"]) < ENOUGH and reached > EARLY * target
        why = f": below {ENOUGH} blocks only a quarter of it ends a run" if early else ""
        return f"({percent(target)}) did not end the run after {blocks} ({percent(reached)}){why}"
    ended = {"max_blocks": " with the blocks allowed", "max_time": " in the time allowed"}
    text = ", ".join(f"{percent(width)} {_WIDTHS[key]}" for key, width in widths.items())
    halfwidths = f": {text} (half-width of the widest interval)" if widths else ""
    return f"was not reached{ended.get(str(it.get('cap')), '')} ({blocks}){halfwidths}"
