"""Events that valgrind's tools count, and whether an experiment counts instead of timing."""

from __future__ import annotations

from typing import Final, Literal

from steelyard.spec.experiment import Experiment

Tool = Literal["cachegrind", "callgrind"]

_CACHES: Final = {
    "i1_misses": "I1  misses",
    "lli_misses": "LLi misses",
    "data_refs": "D   refs",
    "d1_misses": "D1  misses",
    "lld_misses": "LLd misses",
}
_BRANCHES: Final = {"branches": "Branches", "mispredicts": "Mispredicts"}

EVENTS: Final[dict[Tool, dict[str, str]]] = {
    "cachegrind": {"instructions": "I   refs", **_CACHES, **_BRANCHES},
    "callgrind": {"instructions": "I   refs"},
}
"""Tool to event to the line of its summary that holds the event's total."""


def counting(experiment: Experiment) -> Tool | None:
    """Return the tool under which every trial runs, of which a spec has one at most.

    ``None`` where trials are timed.
    """
    return next((tool for metric in experiment.metrics for tool in EVENTS if metric.source == tool), None)


def counts_caches(experiment: Experiment) -> bool:
    """Whether a cache has to be simulated."""
    return any(metric.event in _CACHES for metric in experiment.metrics)


def counts_branches(experiment: Experiment) -> bool:
    """Whether a branch predictor has to be simulated."""
    return any(metric.event in _BRANCHES for metric in experiment.metrics)
