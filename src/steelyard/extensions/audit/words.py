"""Kinds of context in words, and what to do about one that moves the time."""

from __future__ import annotations

import math
from typing import Final

from steelyard.core.units import Scalar
from steelyard.extensions.audit.results import AS_STARTED, COUNTED, Audit, AuditedContext, Replicated
from steelyard.report.text.digits import bounds, factor, percent, ratio
from steelyard.report.text.label import join_names, plural, printable

_NAMES: Final = {
    "env_bytes": "environment size",
    "argv0_bytes": "the length of the program's name",
    "cwd_bytes": "the length of the working directory's name",
    "stack_offset": "where the stack begins",
    "heap_offset": "where the heap begins",
    "aslr": "address randomisation",
    "affinity": "the placement of threads",
    "transparent_huge_pages": "huge pages",
    "omp_wait_policy": "the waiting policy of OpenMP",
    "omp_num_threads": "the number of OpenMP threads",
    "lc_all": "the locale",
    "stack_limit": "the limit of the stack",
    "nice": "the nice value",
    "scheduling": "the scheduler's class",
    "file_cache": "the file cache",
    AS_STARTED: "the context of your shell",
}

_STACK: Final = frozenset({"env_bytes", "argv0_bytes", "stack_offset"})


def name_of(finding: AuditedContext) -> str:
    """``environment size``."""
    return _NAMES.get(finding.context, finding.context.replace("_", " "))


def effect(replicated: Replicated) -> str:
    """``7.29 × slower (7.22 to 7.36)``, from the ratio of times; the faster way round where it is below 1."""
    slower = replicated.ratio >= 1
    value = replicated.ratio if slower else 1 / replicated.ratio
    interval = replicated.ci_family
    if interval is not None and not slower:
        interval = interval.reciprocal()
    around = f" ({bounds(value, interval)})" if interval is not None else ""
    return f"{ratio(value, interval)} × {'slower' if slower else 'faster'}{around}"


def format_level(finding: AuditedContext, level: Scalar) -> str:
    """``at 400 bytes``, ``on against off``."""
    if not finding.context.endswith(("_bytes", "_offset")):
        return f"{printable(str(level))} against {printable(str(finding.typical[0]))}"
    return f"at {level:,} bytes"


def headline(audit: Audit) -> str:
    """Return the finding in one sentence."""
    moving = [finding for finding in audit.findings if finding.verdict == "moves"]
    if not moving:
        rare = max((finding.unseen for finding in audit.findings), default=0.0)
        unless = f"; one rarer than {percent(rare)} of its kind would not be seen" if rare else ""
        return (
            f"No context that was varied is shown to move the time by {percent(audit.least)} or more{unless}."
        )
    first, *contexts = moving
    named = join_names([name_of(finding) for finding in contexts], len(contexts))
    also = f"; so {'do' if len(contexts) > 1 else 'does'} {named}" if contexts else ""
    if first.context == AS_STARTED:
        also = f"; {named} {'move' if len(contexts) > 1 else 'moves'} the time" if contexts else ""
        text = f"{name_of(first)} is {effect(first.extreme)} than the typical one"
    else:
        moved = f"{effect(first.extreme)} {format_level(first, first.extreme.level)}"
        text = f"{name_of(first)} moves the time: {moved}"
    return f"{_format_capital(text)}{also}."


def format_advice(finding: AuditedContext, audit: Audit) -> str | None:
    """Advice about a context that moves the time; ``None`` for others."""
    if finding.verdict != "moves":
        return None
    name = name_of(finding)
    extreme = finding.extreme
    size = f"{factor(max(extreme.ratio, 1 / extreme.ratio), 2)} ×"
    if finding.context == AS_STARTED:
        return (
            f"{_format_capital(name)} is {effect(extreme)} than the typical one. The other rows show"
            " which kinds of"
            " context make the difference: set them, and report their levels."
        )
    if finding.context in _STACK:
        # Lengths chosen by counts are no sample of all.
        chosen = audit.counted is not None and finding.context == COUNTED
        share = 0.0 if chosen else finding.beyond(audit.least) / len(finding.screened)
        many = f"; {percent(share)} of the levels visited stand out" if share else ""
        return (
            f"{_format_capital(name)} changes run time {size}{many}: randomise it (compare --contexts, or"
            f' {finding.context} = "random" in [contexts]), or align what lies across a line, a page or in a'
            " crowded cache set."
        )
    if finding.context == "aslr":
        return (
            f"{_format_capital(name)} changes run time {size}: every run has its own layout. Average"
            " over many"
            ' runs and layouts, or hold it and vary the layout: aslr = "off" with env_bytes = "random".'
        )
    if finding.screened and len(finding.screened) > len(finding.replicated) + 1:
        return (
            f'{_format_capital(name)} changes run time {size}: randomise it ({finding.context} = "random" in'
            " [contexts])."
        )
    return (
        f"{_format_capital(name)} changes run time {size}: fix it and report the value ({finding.context} in"
        " [factors])."
    )


def open_ended(audit: Audit) -> str | None:
    """Contexts that are not resolved, with the effect that is not excluded; ``None`` where all are."""
    texts = [
        f"{finding.context} ({_format_largest(finding)})"
        for finding in audit.findings
        if finding.verdict == "not_resolved"
    ]
    if not texts:
        return None
    return (
        f"Not resolved, with the largest effect that is not excluded: {join_names(texts, len(texts))}."
        " More time resolves more: --max-time."
    )


def name_elapsed_kinds(audit: Audit) -> str | None:
    """Return the kinds judged by elapsed time where others are by CPU time, and both where they disagree."""
    named = [
        f"{finding.context} (CPU time alone: {factor(finding.cpu_ratio)} ×)"
        if _disagree(finding, audit.least)
        else finding.context
        for finding in audit.findings
        if finding.cpu_ratio is not None
    ]
    if not named:
        return None
    return f"By elapsed time, since waiting takes no CPU time: {join_names(named, len(named))}."


def _disagree(finding: AuditedContext, least: float) -> bool:
    cpu = finding.cpu_ratio or 1.0
    return abs(math.log(finding.extreme.ratio / cpu)) > math.log1p(least)


def name_missed_levels(finding: AuditedContext, audit: Audit) -> str | None:
    """Levels of a kind of context that were not visited; ``None`` where all were."""
    unseen = " that counts cannot see" if audit.counted is not None and finding.context == COUNTED else ""
    if finding.context == "aslr" and finding.unseen:
        return (
            f"{_format_capital(name_of(finding))}: each run draws a layout, so that a kind of up to"
            f" {percent(finding.unseen)} of layouts may have been missed (95 % sure)"
        )
    if finding.context == "transparent_huge_pages":
        return (
            f"{_format_capital(name_of(finding))}: always and madvise, which change the host"
            " (transparent_huge_pages in [factors])"
        )
    if not finding.unseen:
        return None
    return (
        f"{_format_capital(name_of(finding))}: {len(finding.screened):,} of"
        f" {plural(finding.population, 'level')}"
        f" visited, so that a kind of up to {percent(finding.unseen)} of them{unseen} could have been missed"
        " (95 % sure)"
    )


def _format_largest(finding: AuditedContext) -> str:
    """Return the largest effect that an interval leaves open."""
    intervals = [
        replication.ci_family for replication in finding.replicated if replication.ci_family is not None
    ]
    if len(intervals) < len(finding.replicated):
        return "any effect"
    return f"{factor(max(max(interval.high, 1 / interval.low) for interval in intervals))} ×"


def _format_capital(text: str) -> str:
    return text[0].upper() + text[1:]
