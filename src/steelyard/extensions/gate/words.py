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
    Scope,
    Shard,
    Verdict,
    Waiver,
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
    "reported": " ",
    "waived": "!",
    "identical": "=",
}
_REASONS: Final[dict[Verdict, str]] = {
    "new": "base does not have it",
    "gone": "head does not report it",
    "identical": "both sides are the same program",
}
_SCOPES: Final[dict[Scope, str]] = {
    "builds": "of these two builds",
    "layouts": "over drawn layouts",
    "session": "in this session",
}
MOST_SIZES: Final = 3
"""Changes that the first line names."""
MOST_NAMES: Final = 5
MOST_BUDGETS: Final = 10
"""Times the budget, beyond which it is not worth naming what would decide a benchmark."""
WANTED: Final = 0.05
"""Rate of red gates that sessions are counted for."""
CYCLE_S: Final = 2e-10
"""A clock cycle at 5 GHz: no call of a benchmark takes less."""
REMOVED_SHARE: Final = 0.99
"""Part of the time, by which a benchmark is faster where the work may have been removed."""
SELDOM: Final = 0.1
"""Fraction of processes in which a count varies, for which the chance to show is stated."""
_LARGE: Final = 1.0
"""Change from which a factor says more than a percentage."""


def write_headline(answer: Gate, *, strict: bool = False) -> str:
    """``2 of 47 slower, by 6 % and 11 %; 41 within 3 %; 4 open``.

    Where all are open, that comes first: without ``strict`` such a gate is green.
    """
    counts = _write_counts(answer)
    if answer.is_unmeasured:
        budget = format_duration(answer.max_time_s)
        return f"nothing was measured: a budget of {budget} is too short; {counts}"
    if answer.unchanged and answer.select("faster"):
        counts = f"{counts}; --unchanged allows no change"
    if not answer.is_undecided:
        return counts
    return f"{write_undecided(strict=strict)}; {counts}"


def sign_answer(answer: Gate) -> str:
    """Return the sign of the verdict that a reader has to act on first."""
    return SIGNS["slower" if answer.worst in answer.failing else answer.worst]


def _write_counts(answer: Gate) -> str:
    judged = [entry for entry in answer.benchmarks if entry.verdict != "reported"]
    parts: list[str] = []
    for verdict in ORDER:
        groups: dict[str, list[GatedBenchmark]] = {}
        for entry in judged:
            if entry.verdict == verdict:
                groups.setdefault(name_verdict(answer, entry), []).append(entry)
        for word, entries in groups.items():
            count = str(len(entries)) if parts else f"{len(entries)} of {len(judged)}"
            parts.append(f"{count} {word}{_write_sizes(answer, verdict, entries)}")
    return "; ".join(parts)


def name_verdict(answer: Gate, entry: GatedBenchmark) -> str:
    """Return the verdict in words that its metric takes: a time is slower, a count worse."""
    match entry.verdict:
        case "slower" | "faster" if answer.find_metric(entry).is_count:
            return "worse" if entry.verdict == "slower" else "better"
        case "equivalent" if entry.is_exact and entry.change == 0:
            return "the same"
        case "equivalent":
            return f"within {percent(entry.margin)}"
        case _:
            return entry.verdict


def _write_sizes(answer: Gate, verdict: Verdict, entries: Sequence[GatedBenchmark]) -> str:
    """``, by 6 % and 11 %``; of counts, of which metric: ``: allocs_per_op 9 → 10``."""
    if verdict not in ("slower", "faster"):
        return ""
    counts = [entry for entry in entries if answer.find_metric(entry).is_count]
    names = f" ({join_names(list(dict.fromkeys(entry.metric for entry in counts)))})" if counts else ""
    if len(entries) == 1 and entries[0].is_exact:
        return f"{names}: {_write_values(answer, entries[0])}"
    sizes = sorted((abs(choose_change(entry)) for entry in entries if entry.change is not None), reverse=True)
    from_zero = [f"{len(entries) - len(sizes)} from 0"] if len(sizes) < len(entries) else []
    if len(sizes) > MOST_SIZES:
        amounts = [f"{format_amount(sizes[-1])} to {format_amount(sizes[0])}"]
    else:
        amounts = [format_amount(size) for size in sizes]
    return f"{names}, by {join_names([*amounts, *from_zero])}"


def _write_values(answer: Gate, entry: GatedBenchmark) -> str:
    return " → ".join(format_value(answer, entry, value) for value in (entry.base, entry.head))


def choose_change(entry: GatedBenchmark) -> float:
    """Return the change that was decided about: that of the typical run where it decided."""
    by_typical = entry.decided_by == "typical" and entry.typical is not None
    return entry.typical.change if by_typical and entry.typical else entry.change or 0.0


def format_typical_change(answer: Gate, entry: GatedBenchmark) -> str | None:
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
    is_slower = (typical.change > 0) != (answer.find_metric(entry).better == "higher")
    word, count = ("slower", typical.slower) if is_slower else ("faster", typical.faster)
    blocks = plural(entry.blocks, "block")
    words = format_typical(word, count, blocks, typical.slow_side, typical.slow_runs)
    bounds = f" (95 % CI {percent_bounds(typical.ci95, 1, entry.margin)})" if typical.ci95 else ""
    return f"{words}; a typical run {format_percent(typical.change)} %{bounds}"


def list_typical(answer: Gate) -> list[str]:
    """Sentences on benchmarks that the typical run decided, or of which it contradicts the mean."""
    entries = [
        (entry, words)
        for entry in answer.benchmarks
        if (words := format_typical_change(answer, entry)) is not None
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


def format_change(answer: Gate, entry: GatedBenchmark) -> str:
    """``+6.1 % (95 % CI +5.2 to +7.0)``; of a count that repeats ``+1 (9 → 10 in all 8 processes)``."""
    if entry.is_exact:
        values = _write_values(answer, entry)
        return f"{format_difference(entry)} ({values} in all {entry.processes} processes)"
    if entry.base is not None and entry.ci95 is None:
        return f"{_write_values(answer, entry)}, of which no ratio can be taken"
    if entry.change is None or entry.ci95 is None:
        return "not measured"
    return f"{format_percent(entry.change)} % (95 % CI {percent_bounds(entry.ci95, 1, entry.margin)})"


def format_difference(entry: GatedBenchmark) -> str:
    """``+1``, of a count that repeats: to the digit."""
    difference = (entry.head or 0.0) - (entry.base or 0.0)
    return f"{difference:+.12g}" if difference else "0"


def format_percent(change: float) -> str:
    """``+6.1``, with two digits or one decimal."""
    format_value = 100 * change
    return f"{format_value:+.0f}" if abs(format_value) >= 99.5 else f"{format_value:+.1f}"


def describe_benchmark(answer: Gate, entry: GatedBenchmark) -> str:
    """Return what became of one benchmark."""
    name = name_row(answer, entry)
    match entry.verdict:
        case "new" | "gone" | "identical":
            return f"{name}: {entry.verdict}, {_REASONS[entry.verdict]}"
        case "waived" if entry.waiver is not None:
            return f"{name}: waived, {format_change(answer, entry)}; {explain_waiver(entry.waiver)}"
        case "open":
            return f"{name}: open, {format_change(answer, entry)}; {explain_need(entry)}"
        case "slower" if entry.decided_by == "typical":
            typical = format_typical_change(answer, entry)
            return f"{name}: {typical}; on average {format_change(answer, entry)}"
        case "slower" | "faster" if not entry.is_exact:
            values = _write_values(answer, entry)
            return f"{name}: {name_verdict(answer, entry)}, {format_change(answer, entry)}, {values}"
        case _:
            return f"{name}: {name_verdict(answer, entry)}, {format_change(answer, entry)}"


def explain_waiver(waiver: Waiver) -> str:
    """Return its terms: ``accepted up to 20 %, until 2026-12-31: the new format needs it``."""
    return f"accepted up to {percent(waiver.ceiling)}, until {waiver.until}: {printable(waiver.reason)}"


def list_removed(answer: Gate) -> list[str]:
    """Sentences on times so short that head may do the work no more."""
    sentences = []
    for entry in answer.benchmarks:
        if answer.find_metric(entry).unit != "s" or entry.head is None or entry.base is None:
            continue
        if entry.change is not None and entry.change <= -REMOVED_SHARE:
            sentences.append(f"{100 * -entry.change:.3g} % faster")
        elif entry.head < CYCLE_S:
            sides = "" if entry.base >= CYCLE_S else " on both sides"
            sentences.append(f"{format_value(answer, entry, entry.head)}{sides}, less than a clock cycle")
        else:
            continue
        sentences[-1] = f"{name_row(answer, entry)}: {sentences[-1]}: the work may have been removed."
    return sentences


def list_waived(answer: Gate) -> list[str]:
    """Sentences on what is accepted on purpose."""
    return [describe_benchmark(answer, entry) + "." for entry in answer.select("waived")]


def name_row(answer: Gate, entry: GatedBenchmark) -> str:
    """Return the benchmark, with its metric where the gate has several."""
    name = printable(entry.name)
    return f"{name} ({entry.metric})" if len(answer.metrics) > 1 else name


def format_value(answer: Gate, entry: GatedBenchmark, number: float | None) -> str:
    """Return a value of the metric of a benchmark; of a count that repeats, every digit."""
    unit = answer.find_metric(entry).unit
    if number is None:
        return "–"
    return f"{number:.12g} {unit}".rstrip() if entry.is_exact else format_quantity(number, unit)


def explain_need(entry: GatedBenchmark) -> str:
    """Return what would decide a benchmark that is open."""
    if entry.trouble is not None or entry.is_exact:
        return entry.trouble or "more processes would tell it from a count that varies"
    if not entry.blocks:
        return "not measured: the budget was too short"
    if entry.slow_side is not None:
        slow = plural(entry.slow_runs, "slow run")
        return f"{slow} of {entry.slow_side}: how frequent they are is not known, and decides"
    if entry.blocks_to_show is not None and entry.needed_s is not None:
        return (
            f"{format_wait(entry.blocks_to_show, 'block', percent(entry.margin))}: about"
            f" {format_duration(max(1.0, entry.needed_s))} more"
        )
    if entry.needed_s is None:
        return "it may lie at the margin: no number of runs is enough"
    return f"about {format_duration(max(1.0, entry.needed_s))} more would probably decide it"


def explain_outlook(answer: Gate) -> str | None:
    """Return what it would take to decide all that is open; ``None`` where nothing is."""
    entries = [entry for entry in answer.select("open") if entry.trouble is None]
    if not entries or answer.is_unmeasured:
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
    metrics = join_names([metric.name for metric in answer.metrics if not metric.is_reported])
    counts = [metric for metric in answer.metrics if metric.is_count and not metric.is_reported]
    times = answer.has_times
    differing = [*(["“slower”", "“faster”"] if times else []), *(["“worse”", "“better”"] if counts else [])]
    within = f"“within {percent(answer.margin)}”" if times and not counts else "“within”"
    return (
        f"{metrics} by {answer.harness}, {span} blocks of one process each side,"
        f" {format_duration(answer.measured_s)}. At most {percent(answer.alpha)} risk of any wrong"
        f" {join_alternatives(differing)}, and of any wrong {within}, over all benchmarks and looks"
        f" {_SCOPES[answer.scope]}."
    )


def join_alternatives(words: Sequence[str]) -> str:
    """Join texts as ``a, b or c``."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def explain_exactness(answer: Gate) -> list[str]:
    """Say how many processes stand behind counts that repeat, and what they would have shown."""
    processes = [entry.processes for entry in answer.benchmarks if entry.is_exact]
    if not processes:
        return []
    fewest, most = min(processes), max(processes)
    span = str(fewest) if fewest == most else f"{fewest} to {most}"
    chance = 1 - (1 - SELDOM) ** (2 * fewest)
    total = f"{span} process{'es' * (most > 1)}"
    text = (
        f"{plural(len(processes), 'count')} repeated to the digit in {total} of each side. A count"
        f" that varies in 1 process of {1 / SELDOM:.0f} would have shown with a probability of"
        f" {percent(chance)}."
    )
    return [text]


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


def list_within_builds(answer: Gate) -> list[str]:
    """Sentences on times that differ by no more than two builds of one source did on this machine."""
    qualification = answer.qualification
    if answer.scope != "builds" or qualification is None or qualification.is_same_build:
        return []
    entries = [
        entry
        for entry in (*answer.select("slower"), *answer.select("faster"))
        if answer.find_metric(entry).unit == "s" and abs(choose_change(entry)) <= qualification.floor
    ]
    names = join_names([name_row(answer, entry) for entry in entries], MOST_NAMES)
    verb = "differs" if len(entries) == 1 else "differ"
    text = (
        f"{names} {verb} by no more than two builds of one source did here (up to"
        f" {percent(qualification.floor)}): --layout draws builds for each block."
    )
    return [text] if entries else []


def explain_shard(shard: Shard) -> str:
    """Return what an answer of a shard leaves out."""
    return (
        f"Shard {shard.number} of {shard.count}: of {plural(shard.suite, 'benchmark')} these alone."
        " steelyard gate --merge FILE joins the JSON of all shards to one verdict."
    )


def list_notes(answer: Gate) -> list[str]:
    """Sentences that stand with the answer, in their order."""
    text = [
        *list_waived(answer),
        *list_removed(answer),
        *list_typical(answer),
        *list_within_builds(answer),
        explain_basis(answer),
        *explain_exactness(answer),
    ]
    if answer.shard is not None:
        text.append(explain_shard(answer.shard))
    if answer.qualification is not None:
        text.append(describe_qualification(answer.qualification))
    return [*text, *answer.notes]


def format_function(function: ExplainedFunction) -> str:
    """``+ 4.2 % (3.6 to 4.8) parse_block, parser.c:212``."""
    place = f", {function.place}" if function.place else ""
    return f"{format_contribution(function.value, function.ci95)} {function.name}{place}"
