"""Two versions of tests in turns: pairs of processes, one of each version, that are timed alternately.

The unit is the pair: memory layout, hash seed and the machine's state differ from process to process, and no
number of repetitions within one averages that out. With d_r the difference of mean logarithms (new less old)
in pair r of R, t = mean d / (s / sqrt(R)) with R - 1 degrees of freedom (Student's paired test). Where both
versions are equal, the members of a pair are exchangeable, so that d is symmetric about 0.

A test that is open after the first look may get more pairs. Each look has a share of alpha that is fixed
beforehand, so that by Bonferroni's inequality p / share of the look at which a test ended is a p-value,
whatever rule ended it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, Literal

import msgspec
import numpy as np

from steelyard.results.interval import Interval
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
        Of the ratio, at the level of its step of Holm times the share of its look; ``None`` of one pair.
    p : float
        Of its pairs alone.
    p_holm : float
        Over all looks and all tests.
    pairs : int
        Pairs of processes.
    """

    name: str
    ratio: float
    interval: Interval | None
    p: float
    p_holm: float
    outcome: Outcome
    pairs: int


def compare_turns(
    differences: Mapping[str, Sequence[float]], looks: Mapping[int, float], *, alpha: float = 0.05
) -> tuple[Turned, ...]:
    """Compare both versions of each test; one family by Holm.

    Parameters
    ----------
    differences : Mapping
        By the test's name, for each pair of processes the mean logarithm of the new version's times less that
        of the old one's; at least one pair.
    looks : Mapping
        By the numbers of pairs after which a test may end, their shares of alpha, which add up to at most 1.
        A test that was given up at another number counts in the family with a p of 1, which raises no rate of
        false alarms.
    """
    laws = {name: _make_law(values) for name, values in differences.items()}
    shares = {name: looks.get(len(values), 0.0) for name, values in differences.items()}
    p_values = {name: 1.0 if law is None else law.p_of(1.0) for name, law in laws.items()}
    counted = [min(1.0, p_values[name] / share) if (share := shares[name]) else 1.0 for name in differences]
    compared = []
    for (name, law), tested in zip(laws.items(), holm(counted, alpha), strict=True):
        log = float(np.mean(differences[name]))
        outcome: Outcome = "not_resolved"
        if tested.rejected:
            outcome = "slower" if log > 0 else "faster"
        interval = None if law is None else law.interval(tested.level * (shares[name] or 1.0))
        compared.append(
            Turned(
                name=name,
                ratio=math.exp(log),
                interval=interval,
                p=p_values[name],
                p_holm=tested.p_holm,
                outcome=outcome,
                pairs=len(differences[name]),
            )
        )
    return tuple(compared)


def _make_law(differences: Sequence[float]) -> LogT | None:
    """Distribution of the mean difference; ``None`` of one pair, which has no spread."""
    pairs = len(differences)
    if pairs < 2:
        return None
    se = float(np.std(differences, ddof=1)) / math.sqrt(pairs)
    return LogT(float(np.mean(differences)), max(se, LEAST_SE), pairs - 1)
