"""An explanation as text: the difference, functions that carry it, the rest of it, what sampling did."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from steelyard.core.units import format_quantity
from steelyard.extensions.explain.names import NO_SYMBOL
from steelyard.extensions.explain.profiles import Function
from steelyard.extensions.explain.results import (
    MUCH_UNNAMED,
    Contribution,
    CountChange,
    Explanation,
    Pool,
    Remainder,
    Validation,
    Validity,
)
from steelyard.report.text.digits import decimals
from steelyard.report.text.label import columns, plural, printable, shorten
from steelyard.report.text.line import Line, Span, Style, render_paragraph
from steelyard.results.interval import Interval

MOST_NAMED: Final = 12
"""Functions that are listed; all are in the document."""
MOST_LISTED: Final = 3
"""Functions that a caution names."""
_LONGEST: Final = 30
_WHAT: Final = {"cpu_s": "CPU time", "wall_s": "elapsed time"}
_FEW_ROOTED: Final = 0.6
_FEW_SAMPLES: Final = 100
_SHORTEST: Final = 16
"""Columns of the name of a function, at least."""
_COLUMNS: Final = 26
"""Of a contribution with its interval."""
_MOST_BLOCKS: Final = 100_000
_STYLES: Final[Mapping[Validity, Style]] = {
    "confirmed": "good",
    "refuted": "bad",
    "not_resolved": "open",
    "not_tested": "dim",
}


def lines(explanation: Explanation, width: int = 80) -> list[Line]:
    """Everything, in at most ``width`` columns."""
    style: Style = "open"
    if explanation.is_resolved:
        style = "bad" if explanation.change > 0 else "good"
    output = render_paragraph(write_headline(explanation), width, style=style, rest="  ")
    output += [_render_named(entry, explanation, width) for entry in explanation.named[:MOST_NAMED]]
    if (hidden := len(explanation.named) - MOST_NAMED) > 0:
        output.append((Span(f"  … and {plural(hidden, 'function')} more (--json)", "dim"),))
    output += [(Span(text, "dim"),) for text in _list_rest(explanation)]
    output += render_paragraph(write_trust(explanation), width, rest="  ")
    for entry in explanation.validations:
        output += render_paragraph(write_validation(entry), width, rest="  ", style=_STYLES[entry.verdict])
    for text in list_cautions(explanation):
        output += render_paragraph(text, width, rest="  ", style="dim")
    return output


def format_percent(value: float, precision: float) -> str:
    """``4.2``: a fraction in percent with the decimals of its uncertainty, at most three."""
    size = 100 * abs(precision)
    text = f"{100 * value:.{min(3, max(0, decimals(size))) if size > 0 else 1}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def format_value(value: float, interval: Interval | None) -> str:
    """``+ 4.2 % (3.6 to 4.8)``."""
    precision = abs(value) if interval is None else (interval.high - interval.low) / 2
    text = format_percent(value, precision)
    sign = "-" if text.startswith("-") else "+"
    bounds = "" if interval is None else f" ({_format_bounds(interval, precision)})"
    return f"{sign} {text.removeprefix('-')} %{bounds}"


def _format_bounds(interval: Interval, precision: float) -> str:
    return f"{format_percent(interval.low, precision)} to {format_percent(interval.high, precision)}"


def write_headline(explanation: Explanation, name: str = "") -> str:
    """Write the answer in a sentence; ``name`` is that of the new program, by default its command."""
    name = name or printable(shorten(explanation.new, _LONGEST))
    change, interval, named = explanation.change, explanation.ci95, explanation.named
    quantity = _WHAT.get(explanation.metric.name, explanation.metric.name)
    precision = abs(change) if interval is None else (interval.high - interval.low) / 2
    if not explanation.is_resolved:
        bounds = "" if interval is None else f" (95 % CI {_format_bounds(interval, precision)})"
        head = (
            f"no difference in {quantity} is resolved: {name} {format_percent(change, precision)} %{bounds}"
        )
        if named:
            differ = "differs" if len(named) == 1 else "differ"
            return f"{head}; all the same, {plural(len(named), 'function')} {differ}"
        return f"{head}; no function is named"
    if interval is not None and change < 0:
        interval = Interval(-interval.high, -interval.low)
    bounds = "" if interval is None else f" (95 % CI {_format_bounds(interval, precision)})"
    direction = "slower" if change > 0 else "faster"
    head = f"{name} is {format_percent(abs(change), precision)} % {direction} in {quantity}{bounds}"
    if not named:
        return f"{head}; no function is named"
    if explanation.of_builds:
        head = f"{head}, of these two builds"
    share = 100 * sum(entry.value for entry in named) / change
    differ, verb = ("differs", "carries") if len(named) == 1 else ("differ", "carry")
    if share <= 0:
        return f"{head}; {plural(len(named), 'function')} {differ}, and {verb} none of it"
    return f"{head}; {plural(len(named), 'function')} {verb} {share:.0f} % of it"


def name_source(entry: Contribution | Function) -> str:
    """``parser.c:212``, or the library, or the kernel."""
    if entry.file and (not entry.place or entry.place.endswith(".py")):
        name = PurePosixPath(entry.file).name
        return f"{name}:{entry.line}" if entry.line else name
    return entry.place


def _render_named(entry: Contribution, explanation: Explanation, width: int) -> Line:
    value = format_value(entry.value, entry.ci95)
    room = width - 4 - max(_COLUMNS, len(value))
    words = [text for text in (name_source(entry), _describe(entry, explanation)) if text]
    least = min(_SHORTEST, max(columns(printable(named.name)) for named in explanation.named))
    while words and least + 2 + columns("  ".join(words)) > room:
        words.pop()
    text = "  ".join(words)
    name = shorten(printable(entry.name), max(least, room - columns(text) - 2))
    style: Style = "bad" if entry.value > 0 else "good"
    tail = f"  {name:<{least}}  {text}".rstrip()
    return (Span("  "), Span(f"{value:<{_COLUMNS}}", style), Span(tail))


def _describe(entry: Contribution, explanation: Explanation) -> str:
    """Return what else is known: new, gone, renamed, called more often, from where."""
    if entry.presence != "both":
        return entry.presence
    if entry.old_name is not None:
        return f"was {printable(entry.old_name)}"
    if entry.counts is not None and (text := _describe_counts(entry, entry.counts, explanation.layouts)):
        return text
    caller = find_caller(entry, explanation) if entry.place else ""
    return f"called by {printable(caller)}" if caller else ""


def _describe_counts(entry: Contribution, counts: CountChange, layouts: int) -> str:
    """Return the change of calls, else that of instructions; empty where one program has none."""
    if not (counts.old_calls and counts.new_calls and counts.old_instructions):
        return ""
    calls = counts.new_calls / counts.old_calls
    if abs(math.log(calls)) > math.log(1.05):
        return f"called {calls:.2g} × as often"
    if not entry.is_other_work:
        return "same instructions: caches or branches" if layouts else "same instructions: layout or data"
    return f"{counts.new_instructions / counts.old_instructions:.3g} × the instructions"


def write_validation(entry: Validation, old: str = "OLD", new: str = "NEW") -> str:
    """``with parser.o of OLD, NEW is 0.3 % slower (95 % CI …): parse_block is confirmed``."""
    names = " and ".join(printable(name) for name in entry.functions)
    if entry.change is None or entry.undone is None:
        return f"{names} is not tested: {entry.reason}"
    half = 0.0 if entry.ci95 is None else (entry.ci95.high - entry.ci95.low) / 2
    change, interval = entry.change, entry.ci95
    if interval is not None and change < 0:
        interval = Interval(-interval.high, -interval.low)
    bounds = "" if interval is None else f" (95 % CI {_format_bounds(interval, half)})"
    direction = "slower" if change > 0 else "faster"
    size = format_percent(abs(change), half)
    head = f"with {entry.object} of {old}, {new} is {size} % {direction} than {old}{bounds}"
    undone = format_value(entry.undone, entry.undone_ci95).removeprefix("+ ")
    total = format_percent(entry.contribution, half)
    if entry.verdict == "confirmed":
        return f"{head}: {names} is confirmed"
    if entry.verdict == "refuted":
        return f"{head}: {names} is refuted, since it undoes {undone} of {total} %"
    return f"{head}: {names} is not resolved, since it undoes {undone} of {total} %: more blocks (-m)"


def find_caller(entry: Contribution, explanation: Explanation) -> str:
    """Return the function of the program whose calls carry most of the change of a library's function."""
    changes: dict[str, float] = {}
    for node in explanation.chains:
        last = node.chain[-1]
        if (last.name, last.place) == (entry.name, entry.place):
            caller = next((f.name for f in reversed(node.chain[:-1]) if not f.place), "")
            changes[caller] = changes.get(caller, 0.0) + node.new_s - node.old_s
    best = max(changes, key=lambda name: changes[name] * (1 if entry.value > 0 else -1), default="")
    return best if abs(changes.get(best, 0.0)) > 0.5 * abs(entry.new_s - entry.old_s) else ""


def _list_rest(explanation: Explanation) -> Iterator[str]:
    """Yield what, with the named functions, adds up to the whole difference."""
    if explanation.sampler.trust == "changed":
        return
    parts: list[tuple[Remainder | Pool, str]] = []
    if unnamed := len(explanation.contributions) - len(explanation.named):
        none = "not" if unnamed == 1 else "none"
        parts.append((explanation.unnamed, f"{plural(unnamed, 'other function')}, {none} resolved alone"))
    if pool := explanation.pool:
        end = "resolved together" if pool.named else "not resolved"
        parts.append((pool, f"{plural(pool.functions, 'function')} with few samples, {end}"))
    if explanation.waiting is not None:
        parts.append((explanation.waiting, "waits, without a CPU"))
    parts.append((explanation.remainder, "differs between plain and sampled runs"))
    for part, words in parts:
        yield f"  {format_value(part.value, part.ci95):<{_COLUMNS}}  {words}"


def write_trust(explanation: Explanation) -> str:
    """Write what sampling did to both programs, and to their difference."""
    effect = explanation.sampler
    half = 0.0 if effect.ci95 is None else (effect.ci95.high - effect.ci95.low) / 2
    bounds = "" if effect.ci95 is None else f", CI {_format_bounds(effect.ci95, half)}"
    size = f"{format_percent(effect.difference, half or 0.001)} %{bounds}"
    old, new = (format_percent(value, 0.02) for value in (effect.old, effect.new))
    head = f"sampling made OLD {old} % and NEW {new} % slower"
    if min(effect.old, effect.new) < 0:
        head = f"sampling moved the time of OLD by {old} % and of NEW by {new} %"
    if effect.trust == "alike":
        return f"{head}, alike (difference {size}): the profile may be trusted"
    if effect.trust == "changed":
        return (
            f"{head}, which changes the difference by {size}: no function is named; sample more gently"
            " (--rate 999), or without call chains (--chains none)"
        )
    count = _count_blocks(explanation, effect.margin - abs(effect.difference), half)
    cure = f"; about {count:,} blocks would tell (-m {count})" if count else ""
    return f"{head}; whether it changes the difference is open (by {size}){cure}"


def _count_blocks(explanation: Explanation, target: float, current: float) -> int:
    """Return how many blocks shorten a half-width to what is target; 0 where they are too many."""
    if target <= 0 or current <= 0:
        return 0
    count = math.ceil(explanation.blocks * (current / target) ** 2 / 10) * 10
    return count if explanation.blocks < count <= _MOST_BLOCKS else 0


def list_cautions(explanation: Explanation) -> Iterator[str]:
    """Yield what limits the answer, each with its cure."""
    size = explanation.detectable
    if size is not None and not explanation.named and explanation.sampler.trust != "changed":
        text = f"{explanation.blocks} blocks show a function only from about {format_percent(size, size)} %"
        count = (
            _count_blocks(explanation, abs(explanation.change) / 2, size) if explanation.is_resolved else 0
        )
        yield f"{text}; about {count:,} would show half of the difference (-m {count})" if count else text
    yield from _list_builds(explanation)
    yield from _list_faults(explanation)


def write_builds(explanation: Explanation) -> str:
    """Write which functions may differ by their layout alone; empty where none may."""
    names = [printable(entry.name) for entry in explanation.of_builds]
    if not names:
        return ""
    listed = ", ".join(names[:MOST_LISTED]) + (", …" if len(names) > MOST_LISTED else "")
    verb = "differs" if len(names) == 1 else "differ"
    return f"{listed} {verb} in these two builds, perhaps by layout alone"


def _list_builds(explanation: Explanation) -> Iterator[str]:
    """Yield which functions may differ by their layout alone, and what tells."""
    if text := write_builds(explanation):
        counted = any(
            entry.is_other_work is False or entry.name == NO_SYMBOL for entry in explanation.of_builds
        )
        tells = "" if counted else "--counts tells whether the work differs; "
        yield f"{text}: {tells}--objects with --build draws a layout for each block"


def _list_faults(explanation: Explanation) -> Iterator[str]:
    """Yield what is wrong with the samples of the programs."""
    sides = (
        ("OLD", explanation.old_quality, explanation.old_s),
        ("NEW", explanation.new_quality, explanation.new_s),
    )
    few = [(title, arm, time_s) for title, arm, time_s in sides if arm.samples < _FEW_SAMPLES]
    if few:
        title, arm, time_s = min(few, key=lambda side: side[1].samples)
        factor = math.ceil(_FEW_SAMPLES / max(arm.samples, 1.0))
        yield (
            f"{title} has {arm.samples:.0f} samples in a run of {format_quantity(time_s, 's')}: give it"
            f" {factor} × the work, or {factor} × the blocks"
        )
    stripped = {title: arm.unnamed for title, arm, _ in sides if arm.unnamed > MUCH_UNNAMED}
    if stripped:
        yield (
            f"{_name_sides(stripped)}: {100 * max(stripped.values()):.0f} % of the program's own time has no"
            " symbol (stripped), so that its code is one row: link without -s, or install its debug symbols"
        )
    compiled = {title: arm.compiled for title, arm, _ in sides if arm.compiled > MUCH_UNNAMED}
    if compiled:
        yield (
            f"{_name_sides(compiled)}: {100 * max(compiled.values()):.0f} % of the time is in code that was"
            " compiled at run time, without names: node --perf-basic-prof, python -X perf, or what else"
            " writes /tmp/perf-PID.map"
        )
    cut = {title: 1 - arm.rooted for title, arm, _ in sides if arm.rooted < _FEW_ROOTED and not few}
    if cut:
        yield (
            f"{_name_sides(cut)}: {100 * max(cut.values()):.0f} % of call chains are cut off; own times hold,"
            " callers do not: compile with -fno-omit-frame-pointer, or sample with --chains dwarf"
        )
    lost = {title: float(arm.lost) for title, arm, _ in sides if arm.lost}
    if lost:
        count = plural(int(sum(lost.values())), "sample")
        yield f"{_name_sides(lost)}: {count} lost: a lower --rate keeps them"


def _name_sides(sides: Mapping[str, float]) -> str:
    return " and ".join(sides)
