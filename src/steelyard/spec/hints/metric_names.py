"""Metrics by the names that people and other tools have for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from steelyard.spec.text.origin import nearest, suggest

_CALLED: Final = {
    **dict.fromkeys(("time", "elapsed", "elapsed_time", "real", "runtime", "duration", "walltime"), "wall_s"),
    **dict.fromkeys(("memory", "mem", "ram", "maxrss", "max_rss", "peak_rss", "peak_memory"), "rss_bytes"),
    **dict.fromkeys(("cputime",), "cpu_s"),
    **dict.fromkeys(("utime",), "user_s"),
    **dict.fromkeys(("sys", "stime", "kernel"), "system_s"),
    **dict.fromkeys(("faults", "minflt"), "minor_faults"),
    **dict.fromkeys(("majflt",), "major_faults"),
}


def suggest_metric(word: str, every: Iterable[str], noun: str = "metrics") -> str:
    """Return a hint about the name of a metric.

    It is the metric that ``word`` probably means, how a counter is asked for, or all that there are.

    Parameters
    ----------
    word : str
        No name in ``every``.
    every : iterable of str
        Names of metrics, in their order; of what else may stand there too.
    noun : str
        What the names in ``every`` are called.
    """
    from steelyard.core.counters import EVENTS, FORMER_NAMES

    names = list(every)
    folded = word.lower().replace("-", "_")
    base = folded.partition(":")[0]
    if base in EVENTS and base not in names:
        return f'it is a counter, which is measured where a spec asks: counters = ["{folded}"] in [program]'
    ours = _CALLED.get(folded) or FORMER_NAMES.get(folded)
    # rss is the first word of rss_bytes, and resembles it too little otherwise.
    begun = [name for name in names if name.lower().startswith(f"{folded}_")]
    if ours not in names and nearest(word, names) is None:
        ours = begun[0] if len(begun) == 1 else None
    return f"did you mean {ours}?" if ours in names else suggest(word, names, noun)
