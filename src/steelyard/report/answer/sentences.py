"""Notices in words: warnings, and what could not be observed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from steelyard.answers.flags import EARLY, ENOUGH
from steelyard.answers.notice import Kind, Notice
from steelyard.report.answer.words import Names
from steelyard.report.text.digits import percent
from steelyard.report.text.label import counted, listed, printable
from steelyard.units import Scalar, format_quantity

_SENTENCES: Final[dict[Kind, str]] = {
    "exploratory": "Exploratory: {names} chosen after the run, when the values may have been seen; verdicts "
    "in brackets count in no check. Declare it in the spec, and confirm it in a new run.",
    "running": "The experiment is still running; this is after {blocks}.",
    "interrupted": "The run was interrupted after {blocks}; it can be continued.",
    "precision_not_reached": "The precision wanted {outcome}.",
    "extended": "Blocks were added {times} after an answer from {blocks}: p-values and intervals hold over "
    "all answers (this one is judged at {alpha}), so that adding blocks until something shows finds hardly "
    "more than chance.",
    "sequential_order": "One treatment ran after the other, so that every drift of the machine counts as a "
    "difference, and no interval accounts for it.",
    "disturbed": "{who}: {share} of the elapsed time was spent waiting for a CPU that something else used; "
    "CPU time (cpu_s) leaves it out.",
    "stolen": "The hypervisor gave {share} of the time to other machines; steal is in no program's account.",
    "same_program": "{programs} are the same program, byte for byte: what differs between them is their "
    "names, their arguments and where they lie.",
    "few_blocks": "Few {what} ({n}): below {wanted}, intervals rest on the shape of the distribution.",
    "autocorrelated": "{who}: {what} resemble each other (r1 = {r1}), so that {n} tell as much as {n_eff} "
    "independent ones; p-value and interval allow for it.",
    "autocorrelated_few": "{who}: {what} resemble each other (r1 = {r1}), and {n} are too few to tell how "
    "strongly; p-value and interval allow for an autocorrelation of up to {most}.",
    "autocorrelated_mean": "{who}: neighbouring values resemble each other (r1 = {r1}), so that {n} tell as "
    "much as {n_eff} independent ones; u is too small.",
    "slow_mode": "{who}: slow runs, {count} of {n} ({ratio} × the rest; {low} to {high} of all runs, 95 % "
    "sure); the treatment that it is compared with has none. More runs tell how often, "
    'estimand = "quantile" what it costs; of the runs that are not slow, the ratio of medians is {within}.',
    "trend": "{who}: values drift during the run; {drift}.",
    "trend_of_difference": "{who}: the difference itself drifts during the run; the ratio is its average.",
    "outliers": "{who}: outliers ({count} of {n} values), the farthest at {farthest} × the median; "
    "all are kept.",
    "bimodal": "{who}: values fall into two groups, {ratio} × apart, the smaller with {share} of them; a "
    "mean describes neither.",
    "dominated": "{who}: one of {n} values accounts for {share} of the variance and dominates mean and "
    "interval.",
    "instance_carries": "{who}: CV {cv}; {factor} = {instance} ({ratio} × the mean) carries {share} of the "
    "sum of squares.",
    "resolution": "{who}: {steps}",
    "longer_than_trial": "{who}: {metric} is {value} in trials that took {wall_s}; what is in milliseconds "
    'needs unit = "ms" (or a metric that derives seconds from it); sums over threads or ranks are as meant.',
    "failures": "{who}: {failed} of {attempted} runs failed{in_time}.",
    "simulated": "Simulated: these values come from a computed machine, not from a measurement.",
    "crowded": "{who}: more ranks than CPUs; times are the work of all ranks together, and get no verdict.",
    "one_process": "{who}: all repetitions come from one process, so that what differs from one launch to "
    "the next (its layout in memory, say) is in no interval.",
    "failures_unequal": "{who}: no verdict, since runs failed or timed out, "
    'and what is missing is not missing by chance; failures = "ignore" in [analysis] judges all the same.',
    "failures_as_limit": "{who}: runs that timed out count as at least the limit, as declared; what failed "
    "otherwise leaves a comparison without a verdict.",
    "failures_ignored": "{who}: judged although runs failed or timed out, as declared.",
    "unmatched_blocks": "{who}: some blocks lack a value of one side and are in no comparison.",
    "unbalanced_contexts": "{who}: contexts (or machines) were visited unequally often; each counts once.",
    "not_finite": "{who}: a value is not a finite number, so that nothing is computed.",
    "pairing_given_up": "The protocol compares single launches: what treatments of a block share, it takes "
    "for noise. The paired analysis of the same runs stands beside it.",
    "pseudo_replication": "The protocol takes launches for independent; {cause_of}, so that n is less than "
    "it looks.",
    "no_baseline": "{who}: compared with nothing, since the design has no matching baseline.",
    "modes_unseen": "Behaviour that shows in fewer than {share} of runs ({runs} of each, 95 % sure).",
    "machines_unseen": "Kinds of machine that are rarer than {share} ({machines}, 95 % sure).",
    "contexts_unseen": "Kinds of context that are rarer than {share} ({contexts}, 95 % sure).",
    "one_context": "Other contexts: what another environment size, other paths or another link order would "
    "change is not in any interval.",
    "one_code_layout": "Other layouts of the code: each program is one build, and what another link order or "
    'padding would change is not in any interval (compare --contexts=layout, or code = "random" in '
    "[contexts], draws builds).",
    "layout_per_launch": "One layout for each context: address randomisation was on, so that every "
    "launch drew a layout of its own, and a context is what else was set.",
    "below_tick": "{metrics}: sampled at clock ticks, unreliable below {tick_s} s.",
    "counters": "Counters ({names}): not available on this machine.",
    "idle_power": "Energy of the program alone: {metric} counts all that runs in its domain, "
    "{watts} W while a program slept before the run.",
    "queue_wait": "Time spent waiting for a CPU: not available on this machine.",
    "queue_wait_of_short": "Time spent waiting for a CPU in runs below 0.5 ms, which asking would disturb.",
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
}
_WIDTHS: Final = {"reached": "reached", "target": "wanted"}
_FORMATS: Final = {
    "r1": ".2f",
    "n_eff": ".0f",
    "farthest": ".3g",
    "ratio": ".3g",
    "within": ".4g",
    "alpha": ".2g",
    "tick_s": "g",
}


def notice(about: Notice, names: Names, *, up_to: Mapping[str, Scalar] | None = None) -> str:
    """Return the sentence of a notice.

    Only our own sentences are templates; what the fields hold is never read as one.

    Parameters
    ----------
    up_to : Mapping, optional
        The upper ends of fields that are not the same in all treatments.
    """
    who = _who(about.treatments, names)
    shown = {key: _shown(key, value) for key, value in about.fields.items()}
    for key, high in (up_to or {}).items():
        if (end := _shown(key, high)) != shown[key]:
            shown[key] = f"{shown[key].removesuffix(' %') if end.endswith(' %') else shown[key]} to {end}"
    return _SENTENCES[about.kind].format(who=who, **shown, **_phrases(about, up_to or {}))


def _who(labels: Sequence[str], names: Names) -> str:
    """Return the treatments by name, as far as that is short."""
    if len(labels) > 2 and set(labels) == set(names):
        return "all treatments"
    found = [names.get(label) or printable(label) for label in labels]
    return listed(found, _LONG if any(", " in name for name in found) else _SHORT)


def _shown(key: str, value: Scalar) -> str:
    if key in ("share", "cv", "low", "high") and isinstance(value, float):
        return percent(value)
    if key in ("value", "wall_s") and isinstance(value, float):
        return format_quantity(value, "s")
    if key in _COUNTS and isinstance(value, int):
        return counted(value, _COUNTS[key])
    return format(value, _FORMATS[key]) if key in _FORMATS else printable(str(value))


def _phrases(about: Notice, most: Mapping[str, Scalar]) -> dict[str, str]:
    """Parts of sentences that hang on more than one field."""
    it = about.fields
    phrases: dict[str, str] = {}
    if about.kind == "precision_not_reached":
        phrases["outcome"] = _precision(it)
    elif about.kind == "few_blocks":
        phrases["what"] = "blocks" if it["blocked"] else "runs of each"
    elif about.kind in ("autocorrelated", "autocorrelated_few"):
        phrases["what"] = "differences of neighbouring blocks" if it["blocked"] else "neighbouring values"
    elif about.kind == "trend":
        if it["alone"]:
            phrases["drift"] = "the mean is that of a machine which changed meanwhile"
        elif it["blocked"]:
            phrases["drift"] = "blocks cancel what all treatments share, s and CV contain it"
        else:
            phrases["drift"] = "without blocks, the drift is part of the difference"
    elif about.kind == "resolution":
        step = format_quantity(float(it["step"]), str(it["unit"]), 2)
        steps = f"values come in steps of {step}; a spread of that size says more about the clock."
        equal = "a simulation that repeats to the bit, or a clock too coarse to tell them apart."
        phrases["steps"] = steps if it["step"] else f"all values are equal: {equal}"
    elif about.kind == "pseudo_replication":
        order = "those of one treatment followed each other, under the same drift and the same context"
        contexts = "those of one context resemble each other"
        phrases["cause_of"] = order if it["cause"] == "order" else contexts
    elif about.kind == "failures":
        late = f"up to {most['timed_out']}" if "timed_out" in most else it["timed_out"]
        phrases["in_time"] = f", {late} of them by running out of time" if late else ""
    return phrases


def _precision(it: Mapping[str, Scalar]) -> str:
    """How the precision wanted was missed; so few blocks may have reached it that it is not relied on."""
    blocks = counted(int(it["blocks"]), "block")
    widths = {key: float(it[key]) for key in _WIDTHS if key in it}
    reached, target = (widths.get(key, math.inf) for key in ("reached", "target"))
    if reached <= target < math.inf:
        early = int(it["blocks"]) < ENOUGH and reached > EARLY * target
        why = f": below {ENOUGH} blocks it ends a run at a quarter of that" if early else ""
        return f"({percent(target)}) was not relied on after {blocks} ({percent(reached)}){why}"
    ended = {"max_blocks": " with the blocks allowed", "max_time": " in the time allowed"}
    shown = ", ".join(f"{percent(width)} {_WIDTHS[key]}" for key, width in widths.items())
    halfwidths = f": {shown} (half-width of the widest interval)" if widths else ""
    return f"was not reached{ended.get(str(it.get('cap')), '')} ({blocks}){halfwidths}"
