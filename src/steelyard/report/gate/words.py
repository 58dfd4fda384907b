"""What is said of a gate, in the terminal as in documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.answers.gate import ORDER, Gate, GatedBenchmark, Qualification, Verdict
from steelyard.answers.interval import Interval
from steelyard.report.text.digits import percent
from steelyard.report.text.label import counted, listed, printable
from steelyard.units import format_duration, format_quantity

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
_LARGE: Final = 1.0
"""Change from which a factor says more than a percentage."""


def headline(found: Gate) -> str:
    """``2 of 47 slower, by 6 % and 11 %; 41 within 3 %; 4 open``."""
    total = len(found.benchmarks)
    parts: list[str] = []
    for verdict in ORDER:
        its = found.of(verdict)
        if not its:
            continue
        count = f"{len(its)} of {total}" if not parts else str(len(its))
        parts.append(f"{count} {_ending(found, verdict, its)}")
    return "; ".join(parts)


def _ending(found: Gate, verdict: Verdict, its: Sequence[GatedBenchmark]) -> str:
    match verdict:
        case "slower" | "faster":
            sizes = sorted((abs(each.change or 0.0) for each in its), reverse=True)
            if len(sizes) > MOST_SIZES:
                return f"{verdict}, by {amount(sizes[-1])} to {amount(sizes[0])}"
            return f"{verdict}, by {listed([amount(size) for size in sizes])}"
        case "equivalent":
            return f"within {percent(found.margin)}"
        case _:
            return verdict


def amount(change: float) -> str:
    """The magnitude of a relative change: ``6 %``, ``2.1 times``."""
    return percent(change) if change < _LARGE else f"a factor of {1 + change:.2g}"


def change_words(each: GatedBenchmark) -> str:
    """``+6.1 % (95 % CI +5.2 to +7.0)``."""
    if each.change is None or each.ci95 is None:
        return "not measured"
    return f"{sign_percent(each.change)} % (95 % CI {interval_words(each.ci95)})"


def interval_words(interval: Interval) -> str:
    """``+5.2 to +7.0``."""
    return f"{sign_percent(interval.low)} to {sign_percent(interval.high)}"


def sign_percent(change: float) -> str:
    """``+6.1``, with two digits or one decimal."""
    value = 100 * change
    return f"{value:+.0f}" if abs(value) >= 99.5 else f"{value:+.1f}"


def sentence(found: Gate, each: GatedBenchmark) -> str:
    """What became of one benchmark."""
    name = printable(each.name)
    match each.verdict:
        case "new":
            return f"{name}: new, base does not have it"
        case "gone":
            return f"{name}: gone, head does not report it"
        case "open":
            return f"{name}: open, {change_words(each)}; {need(each)}"
        case "equivalent":
            return f"{name}: within {percent(found.margin)}, {change_words(each)}"
        case _:
            values = " → ".join(value(found, its) for its in (each.base, each.head))
            return f"{name}: {each.verdict}, {change_words(each)}, {values}"


def value(found: Gate, number: float | None) -> str:
    """A value of the metric."""
    return "–" if number is None else format_quantity(number, found.unit)


def need(each: GatedBenchmark) -> str:
    """What would decide a benchmark that is open."""
    if not each.blocks:
        return "not measured: the budget was too short"
    if each.needed_s is None:
        return "it may lie at the margin: no number of runs is enough"
    return f"about {format_duration(max(1.0, each.needed_s))} more would probably decide it"


def outlook(found: Gate) -> str | None:
    """What it would take to decide all that is open; ``None`` where nothing is."""
    its = found.of("open")
    if not its:
        return None
    known = [each.needed_s for each in its if each.needed_s is not None]
    reachable = [needed for needed in known if needed <= MOST_BUDGETS * found.max_time_s]
    text = f"{counted(len(its), 'benchmark')} open after {format_duration(found.measured_s)} of measurement"
    if not reachable:
        return (
            f"{text}: {MOST_BUDGETS} times as much would hardly decide {_pronoun(len(its))}. Take a larger"
            " --margin, or a quieter machine."
        )
    which = _pronoun(len(its)) if len(reachable) == len(its) else f"{len(reachable)} of them"
    return f"{text}: --max-time {_minutes(found.measured_s + sum(reachable))} would probably decide {which}."


def _pronoun(count: int) -> str:
    return "it" if count == 1 else "them"


def _minutes(seconds: float) -> str:
    """A time as an option takes it, rounded up."""
    if seconds < 100:
        return f"{-(-seconds // 10) * 10:.0f}s"
    return f"{-(-seconds // 60):.0f}min"


def basis(found: Gate) -> str:
    """What was measured, and how sure it is."""
    blocks = [each.blocks for each in found.benchmarks if each.blocks]
    span = (
        f"{min(blocks)} to {max(blocks)}"
        if blocks and min(blocks) != max(blocks)
        else f"{max(blocks, default=0)}"
    )
    return (
        f"{found.metric} by {found.harness}, {span} blocks of one process each side,"
        f" {format_duration(found.measured_s)}. At most {percent(found.alpha)} risk of any wrong “slower” or"
        f" “faster”, and of any wrong “within {percent(found.margin)}”, over all benchmarks and looks."
    )


def qualification_words(found: Qualification) -> str:
    """What the gate is known to do on this machine."""
    return (
        f"This machine, {found.date}: {counted(found.alarms, 'false alarm')} in {found.verdicts} verdicts on"
        f" equal programs (at most {percent(found.alarm_bound)} each, 95 % sure); a planted"
        f" {percent(found.slow_down)} was seen in {found.seen} of {found.verdicts} (at least"
        f" {percent(found.seen_bound)}, 95 % sure) in {format_duration(found.session_s)}; two builds of one"
        f" source differ by up to {percent(found.floor)}."
    )


def unqualified(found: Gate) -> str:
    """What to do where nothing is known of the machine."""
    return (
        "This machine is not qualified: its rate of false alarms is not known."
        f" steelyard gate --qualify {found.head} -- {found.command}"
    )


def notes(found: Gate) -> list[str]:
    """Sentences that stand with the answer, in their order."""
    said = [basis(found)]
    if found.qualification is not None:
        said.append(qualification_words(found.qualification))
    return [*said, *found.notes]
