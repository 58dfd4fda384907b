"""Which way is better, by the name and the unit of a metric: rates, and costs."""

from __future__ import annotations

import re
from typing import Final

_RATE_WORDS: Final = """
    rate rates throughput bandwidth bw speed speedup efficiency fom tps qps rps ops iops fps ips teps gteps
    mteps flops kflops mflops gflops tflops pflops mlups glups cups gcups mips sypd mbps gbps kbps
"""
_COST_WORDS: Final = """
    time times s sec secs second seconds ms us ns min minutes h hours latency wall walltime elapsed duration
    runtime delay wait cycles instructions insns ticks bytes kb mb gb kib mib gib mem memory rss heap size
    energy joule joules j power watts cost costs visits calls hits messages msgs count counts overhead
    slowdown error errors miss misses failure failures loss fault faults drop drops stall stalls iterations
"""
_RATES: Final = frozenset(_RATE_WORDS.split())
_COSTS: Final = frozenset(_COST_WORDS.split())
"""Also beside a word of a rate: a miss rate is better low."""
_PHRASES: Final = (
    "figure of merit",
    "per s",
    "per sec",
    "per second",
    "per hour",
    "per day",
    "per node hour",
)
_PER_TIME: Final = re.compile(r"/ ?(s|sec|second|min|h|hr|hour|day)\b")
_UNITS_OF_COST: Final = frozenset(
    {"s", "ms", "us", "µs", "ns", "min", "h", "b", "kb", "mb", "gb", "kib", "mib", "j"}
)


def is_rate(name: str, unit: str = "") -> bool:
    """Whether higher is better by name or unit: work in a time, a speedup, a figure of merit."""
    text = _split_words(name)
    if unit.strip().lower() == "hz" or _PER_TIME.search(unit.lower()) or _PER_TIME.search(text):
        return True
    words = _get_words(text)
    if any(re.search(rf"\b{phrase}\b", text) for phrase in _PHRASES):
        return True
    return bool(words & _RATES) and not words & _COSTS


def is_cost(name: str, unit: str = "") -> bool:
    """Whether lower is better by name or unit: a time, a size, a count."""
    if is_rate(name, unit):
        return False
    return unit.strip().lower() in _UNITS_OF_COST or bool(_get_words(_split_words(name)) & _COSTS)


def _split_words(name: str) -> str:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return " ".join(part for part in re.split(r"[^a-z0-9/µ]+", apart.lower()) if part)


def _get_words(text: str) -> set[str]:
    return set(text.replace("/", " ").split())
