"""What is said of a gate, in the terminal as in documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.core.units import format_duration, format_quantity
from steelyard.extensions.explain.text import format_value as format_contribution
from steelyard.extensions.gate.results import (
    ORDER,
    ExplainedFunction,
    Gate,
    GatedBenchmark,
    Qualification,
    Verdict,
)
from steelyard.report.text.digits import percent, percent_bounds
from steelyard.report.text.label import join_names, plural, printable
from steelyard.report.text.typical import format_typical, format_wait
from steelyard.report.text.undecided import write_undecided
from steelyard.stats.distributions.absence import runs_to_show

SIGNS: Final[dict[Verdict, str]] = {
    "slower": "✗",
    "gone": "✗",
    "open": "?",
    "faster": "✓",
    "new": "+",
    "equivalent": "✓",
}
MOST_SIZES: Final = 3
"""Changes that the first line names."""
MOST_NAMES: Final = 5
MOST_BUDGETS: Final = 10
"""Times the budget, beyond which it is not worth naming what would decide a benchmark."""
WANTED: Final = 0.05
"""Rate of red gates that sessions are counted for."""
_LARGE: Final = 1.0
"""Change from which a factor says more than a percentage."""


def write_headline(answer: Gate, *, strict: bool = False) -> str:
    """``2 of 47 slower, by 6 % and 11 %; 41 within 3 %; 4 open``.

    Where all are open, that comes first: without ``strict`` such a gate is green.
    """
    counts = _write_counts(answer)
    if not answer.is_undecided:
        return counts
    return f"{write_undecided(strict=strict)}; {counts}"


def _write_counts(answer: Gate) -> str:
    total = len(answer.benchmarks)
    parts: list[str] = []
    for verdict in ORDER:
        entries = answer.select(verdict)
        if not entries:
            continue
        count = f"{len(entries)} of {total}" if not parts else str(len(entries))
        parts.append(f"{count} {_describe_verdict(answer, verdict, entries)}")
    return "; ".join(parts)


def _describe_verdict(answer: Gate, verdict: Verdict, entries: Sequence[GatedBenchmark]) -> str:
    match verdict:
        case "slower" | "faster":
            sizes = sorted((abs(choose_change(entry)) for entry in entries), reverse=True)
            if len(sizes) > MOST_SIZES:
                return f"{verdict}, by {format_amount(sizes[-1])} to {format_amount(sizes[0])}"
            return f"{verdict}, by {join_names([format_amount(size) for size in sizes])}"
        case "equivalent":
            return f"within {percent(answer.margin)}"
        case _:
            return verdict


def choose_change(entry: GatedBenchmark) -> float:
    """Return the change that was decided about: that of the typical run where it decided."""
    by_typical = entry.decided_by == "typical" and entry.typical is not None
    return entry.typical.change if by_typical and entry.typical else entry.change or 0.0


def format_typical_change(entry: GatedBenchmark, margin: float) -> str | None:
    """``slower in 19 of 20 blocks; one slow run of base; a typical run +200 %``.

    Only where the typical run decided, or goes the other way than the mean.
    """
    typical = entry.typical
    if typical is None or entry.change is None:
        return None
    is_contrary = (
        typical.ci95 is not None and typical.ci95.excludes(0) and (typical.change > 0) != (entry.change > 0)
    )
    if entry.decided_by != "typical" and not is_contrary:
        return None
    word, count = ("slower", typical.slower) if typical.change > 0 else ("faster", typical.faster)
    blocks = plural(entry.blocks, "block")
    words = format_typical(word, count, blocks, typical.slow_side, typical.slow_runs)
    bounds = f" (95 % CI {percent_bounds(typical.ci95, 1, margin)})" if typical.ci95 else ""
    return f"{words}; a typical run {format_percent(typical.change)} %{bounds}"


def list_typical(answer: Gate) -> list[str]:
    """Sentences on benchmarks that the typical run decided, or of which it contradicts the mean."""
    entries = [
        (entry, words)
        for entry in answer.benchmarks
        if (words := format_typical_change(entry, answer.margin)) is not None
    ]
    listed = [
        f"{printable(entry.name)}: {words}; on average {format_percent(entry.change or 0.0)} %."
        for entry, words in entries[:MOST_NAMES]
    ]
    rest = len(entries) - len(listed)
    return [*listed, f"{plural(rest, 'more benchmark')} of that kind; --json has all."] if rest else listed


def format_amount(change: float) -> str:
    """Return the magnitude of a relative change: ``6 %``, ``2.1 times``."""
    return percent(change) if change < _LARGE else f"a factor of {1 + change:.2g}"


def format_change(entry: GatedBenchmark, margin: float) -> str:
    """``+6.1 % (95 % CI +5.2 to +7.0)``."""
    if entry.change is None or entry.ci95 is None:
        return "not measured"
    return f"{format_percent(entry.change)} % (95 % CI {percent_bounds(entry.ci95, 1, margin)})"


def format_percent(change: float) -> str:
    """``+6.1``, with two digits or one decimal."""
    format_value = 100 * change
    return f"{format_value:+.0f}" if abs(format_value) >= 99.5 else f"{format_value:+.1f}"


def describe_benchmark(answer: Gate, entry: GatedBenchmark) -> str:
    """Return what became of one benchmark."""
    name = printable(entry.name)
    match entry.verdict:
        case "new":
            return f"{name}: new, base does not have it"
        case "gone":
            return f"{name}: gone, head does not report it"
        case "open":
            return (
                f"{name}: open, {format_change(entry, answer.margin)}; {explain_need(entry, answer.margin)}"
            )
        case "equivalent":
            return f"{name}: within {percent(answer.margin)}, {format_change(entry, answer.margin)}"
        case "slower" if entry.decided_by == "typical":
            typical = format_typical_change(entry, answer.margin)
            return f"{name}: {typical}; on average {format_change(entry, answer.margin)}"
        case _:
            values = " → ".join(format_value(answer, entries) for entries in (entry.base, entry.head))
            return f"{name}: {entry.verdict}, {format_change(entry, answer.margin)}, {values}"


def format_value(answer: Gate, number: float | None) -> str:
    """Return a value of the metric."""
    return "–" if number is None else format_quantity(number, answer.unit)


def explain_need(entry: GatedBenchmark, margin: float) -> str:
    """Return what would decide a benchmark that is open."""
    if not entry.blocks:
        return "not measured: the budget was too short"
    if entry.slow_side is not None:
        slow = plural(entry.slow_runs, "slow run")
        return f"{slow} of {entry.slow_side}: how frequent they are is not known, and decides"
    if entry.blocks_to_show is not None and entry.needed_s is not None:
        return (
            f"{format_wait(entry.blocks_to_show, 'block', percent(margin))}: about"
            f" {format_duration(max(1.0, entry.needed_s))} more"
        )
    if entry.needed_s is None:
        return "it may lie at the margin: no number of runs is enough"
    return f"about {format_duration(max(1.0, entry.needed_s))} more would probably decide it"


def explain_outlook(answer: Gate) -> str | None:
    """Return what it would take to decide all that is open; ``None`` where nothing is."""
    entries = answer.select("open")
    if not entries:
        return None
    needs = [entry.needed_s for entry in entries if entry.needed_s is not None]
    reachable = [needed for needed in needs if needed <= MOST_BUDGETS * answer.max_time_s]
    text = (
        f"{plural(len(entries), 'benchmark')} open after {format_duration(answer.measured_s)} of measurement"
    )
    if not reachable:
        return (
            f"{text}: {MOST_BUDGETS} times as much would hardly decide {_choose_pronoun(len(entries))}."
            " Take a larger --margin, or a quieter machine."
        )
    pronoun = _choose_pronoun(len(entries)) if len(reachable) == len(entries) else f"{len(reachable)} of them"
    budget = _format_budget(answer.measured_s + sum(reachable))
    return f"{text}: --max-time {budget} would probably decide {pronoun}."


def _choose_pronoun(count: int) -> str:
    return "it" if count == 1 else "them"


def _format_budget(seconds: float) -> str:
    """Return a time as an option takes it, rounded up."""
    if seconds < 100:
        return f"{-(-seconds // 10) * 10:.0f}s"
    return f"{-(-seconds // 60):.0f}min"


def explain_basis(answer: Gate) -> str:
    """Return what was measured, and how sure it is."""
    blocks = [entry.blocks for entry in answer.benchmarks if entry.blocks]
    span = (
        f"{min(blocks)} to {max(blocks)}"
        if blocks and min(blocks) != max(blocks)
        else f"{max(blocks, default=0)}"
    )
    return (
        f"{answer.metric} by {answer.harness}, {span} blocks of one process each side,"
        f" {format_duration(answer.measured_s)}. At most {percent(answer.alpha)} risk of any wrong “slower”"
        f" or “faster”, and of any wrong “within {percent(answer.margin)}”, over all benchmarks and looks."
    )


def describe_qualification(answer: Qualification) -> str:
    """Return what the gate is known to do on this machine: rates of gates, since a session is one draw."""
    sessions = plural(answer.sessions, "session")
    differ = (
        "both sides were the same file, and its runs" if answer.is_same_build else "two builds of one source"
    )
    red = f"{answer.red} of {sessions} red on equal programs"
    planted = f"a planted {percent(answer.slow_down)} was seen in {answer.detected} of {answer.verdicts}"
    return (
        f"This machine, {answer.date}: {red} (at most {percent(answer.red_bound)} of gates, 95 %"
        f" sure{_count_sessions(answer)}); {plural(answer.alarms, 'wrong verdict')} of {answer.verdicts};"
        f" {planted}, in every benchmark of {answer.full_sessions} of {sessions} (at least"
        f" {percent(answer.detected_bound)} of gates, 95 % sure) in {format_duration(answer.session_s)};"
        f" {differ} differ by up to {percent(answer.floor)}."
    )


def _count_sessions(answer: Qualification) -> str:
    """Say how many sessions would bound the rate of red gates at ``WANTED``."""
    if answer.red or answer.red_bound <= WANTED:
        return ""
    return f"; {runs_to_show(WANTED)} sessions without one show {percent(WANTED)}"


def explain_qualifying() -> str:
    """Return what to do where nothing is known of the machine."""
    return (
        "This machine is not qualified: its rate of false alarms is not known."
        " The same command with --qualify measures it."
    )


def list_notes(answer: Gate) -> list[str]:
    """Sentences that stand with the answer, in their order."""
    text = [*list_typical(answer), explain_basis(answer)]
    if answer.qualification is not None:
        text.append(describe_qualification(answer.qualification))
    return [*text, *answer.notes]


def format_function(function: ExplainedFunction) -> str:
    """``+ 4.2 % (3.6 to 4.8) parse_block, parser.c:212``."""
    place = f", {function.place}" if function.place else ""
    return f"{format_contribution(function.value, function.ci95)} {function.name}{place}"
