"""Two versions of tests in turns: pairs of processes, one of each version, that are timed alternately.

The unit is the pair: memory layout, hash seed and the machine's state differ from process to process, and no
number of repetitions within one averages that out. With d_r the difference of mean logarithms (new less old)
in pair r of R, t = mean d / (s / sqrt(R)) with R - 1 degrees of freedom (Student's paired test). Where both
versions are equal, the members of a pair are exchangeable, so that d is symmetric about 0.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal

import msgspec
import numpy as np

from steelyard.answers.interval import Interval
from steelyard.stats.distributions.student import LogT
from steelyard.stats.hypothesis.holm import holm

Outcome = Literal["faster", "slower", "not_resolved"]

LEAST_SE: Final = 1e-9
"""Standard error of a logarithm below which none is taken: clocks do not resolve it."""


class Turned(msgspec.Struct, frozen=True):
    """A test in both versions.

    Attributes
    ----------
    ratio : float
        Time of the new version over that of the old one, geometric mean over pairs.
    interval : Interval or None
        Of the ratio, at the level of its step of Holm; ``None`` of one pair.
    p_holm : float
    pairs : int
        Pairs of processes.
    """

    name: str
    ratio: float
    interval: Interval | None
    p_holm: float
    outcome: Outcome
    pairs: int


def compare_turns(
    differences: Mapping[str, Sequence[float]], *, ended: Collection[str] = (), alpha: float = 0.05
) -> tuple[Turned, ...]:
    """Compare both versions of each test; one family by Holm.

    Parameters
    ----------
    differences : Mapping
        By the test's name, for each pair of processes the mean logarithm of the new version's times less that
        of the old one's; at least one pair.
    ended : Collection of str
        Tests whose measuring was given up since they did not look slower. They count in the family with a p
        of 1: giving up for want of an effect raises no rate of false alarms.
    """
    laws = {name: _law(values) for name, values in differences.items()}
    p_values = [1.0 if law is None or name in ended else law.p_of(1.0) for name, law in laws.items()]
    compared = []
    for (name, law), tested in zip(laws.items(), holm(p_values, alpha), strict=True):
        log = float(np.mean(differences[name]))
        outcome: Outcome = "not_resolved"
        if tested.rejected:
            outcome = "slower" if log > 0 else "faster"
        interval = None if law is None else law.interval(tested.level)
        compared.append(Turned(name, math.exp(log), interval, tested.p_holm, outcome, len(differences[name])))
    return tuple(compared)


def _law(differences: Sequence[float]) -> LogT | None:
    """Distribution of the mean difference; ``None`` of one pair, which has no spread."""
    pairs = len(differences)
    if pairs < 2:
        return None
    se = float(np.std(differences, ddof=1)) / math.sqrt(pairs)
    return LogT(float(np.mean(differences)), max(se, LEAST_SE), pairs - 1)
