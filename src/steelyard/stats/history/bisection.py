"""``Search``: which commit of a line made a change, from noisy comparisons with both ends.

The first commit behind the good end has number 0, the bad end the last. The hypothesis h says that commit h
made the change; a commit m that is measured then behaves as the bad end where m >= h, else as the good one.
All hypotheses are as likely at first; each comparison multiplies their odds, and the next commit is the one
that halves the probability (probabilistic bisection: Horstein 1963, DOI 10.1109/TIT.1963.1057832; Waeber,
Frazier and Henderson 2013, DOI 10.1137/120861898). A comparison that was wrong is outweighed by later ones,
since none is believed beyond ``MOST_ODDS``.

In a block with both ends, d = bad - good and z = 2 middle - good - bad (logarithms) are uncorrelated; z has
the mean -D or +D, as the commit behaves as the good or the bad end, D that of d.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard.answers.bisection import Likeness
from steelyard.answers.interval import Interval
from steelyard.arrays import Floats
from steelyard.stats.distributions.student import detectable, t_quantile, two_sided_p

MOST_ODDS: Final = 200.0
"""That one batch of blocks can speak for either end: more would be belief in the model of the noise."""
LOOKS: Final = (4, 8, 16)
"""Batches of blocks of the ends alone after which it is asked whether they differ."""
UNLIKE: Final = 4.0
"""Standard errors from what either end shows, from which a commit is like neither."""


class Ends(msgspec.Struct, frozen=True):
    """Both ends in the same blocks: the mean of bad less good in logarithms, and its uncertainty.

    Attributes
    ----------
    variance : float
        Of one run.
    nu : float
        Degrees of freedom of the variance.
    """

    mean: float
    n: int
    variance: float
    nu: int

    @property
    def u(self) -> float:
        """Standard uncertainty of the mean."""
        return math.sqrt(2 * self.variance / self.n)

    @property
    def p(self) -> float:
        """Two-sided p of ends that are equal, of one look."""
        return two_sided_p(self.mean / self.u, self.nu) if self.u else float(self.mean == 0)

    def ci95(self) -> Interval:
        """Of the ratio of bad to good."""
        half = t_quantile(self.nu, 0.05) * self.u
        return Interval(math.exp(self.mean - half), math.exp(self.mean + half))

    def resolvable(self, alpha: float) -> float:
        """The smallest relative difference that such a comparison shows in 80 % of cases."""
        return math.expm1(detectable(self.nu, alpha) * self.u)


def differ(look: int, ends: Ends, error: float) -> bool | None:
    """Whether the ends differ, at the look after ``LOOKS[look]`` batches; ``None`` to look again.

    Each look has its part of the error (Bonferroni).
    """
    if ends.p < error / len(LOOKS):
        return True
    return None if look + 1 < len(LOOKS) else False


class Compared(msgspec.Struct, frozen=True):
    """A commit in blocks with both ends, in logarithms.

    Attributes
    ----------
    middles : array
        2 middle - good - bad of each block.
    over_good : float
        Mean of middle - good.
    batches : int
        In which the blocks were measured.
    """

    middles: Floats
    over_good: float
    batches: int


def pooled(differences: Floats, compared: Mapping[int, Compared]) -> Ends:
    """The ends, with the variance of a run from all blocks."""
    squares = float(((differences - differences.mean()) ** 2).sum()) / 2
    nu = differences.size - 1
    for each in compared.values():
        squares += float(((each.middles - each.middles.mean()) ** 2).sum()) / 6
        nu += each.middles.size - 1
    # Programs whose counts never change have no noise; that of a millionth stands for it.
    return Ends(float(differences.mean()), differences.size, max(squares / nu, 1e-12), nu)


class Search(msgspec.Struct, frozen=True):
    """The state of a search over ``n`` commits.

    Attributes
    ----------
    untestable : frozenset of int
        Commits that cannot be measured.
    """

    n: int
    ends: Ends
    compared: Mapping[int, Compared] = {}
    untestable: frozenset[int] = frozenset()

    def log_odds(self, commit: int) -> float:
        """Of a measured commit behaving as the bad end against the good one, by its own blocks."""
        its = self.compared[commit]
        good, bad = self._distances(its)
        nu = self.ends.nu
        # The ratio of two densities of Student's t.
        found = (nu + 1) / 2 * (math.log1p(good**2 / nu) - math.log1p(bad**2 / nu))
        most = its.batches * math.log(MOST_ODDS)
        return min(most, max(-most, found))

    def likeness(self, commit: int) -> Likeness:
        """The end that a measured commit behaves as."""
        good, bad = self._distances(self.compared[commit])
        if min(abs(good), abs(bad)) > UNLIKE and good * bad < 0:
            return "between"
        odds = self.log_odds(commit)
        return "open" if abs(odds) < math.log(19) else "bad" if odds > 0 else "good"

    def _distances(self, its: Compared) -> tuple[float, float]:
        error = math.sqrt(6 * self.ends.variance / its.middles.size + self.ends.u**2)
        mean = float(its.middles.mean())
        return (mean + self.ends.mean) / error, (mean - self.ends.mean) / error

    def posterior(self) -> Floats:
        """Probability of each commit that it made the change."""
        logs = np.zeros(self.n)
        for commit in self.compared:
            logs[: commit + 1] += self.log_odds(commit)
        weights = np.exp(logs - logs.max())
        found: Floats = weights / weights.sum()
        return found

    def credible(self, error: float) -> tuple[int, ...]:
        """The fewest commits that together have a probability of 1 - ``error``, ascending. Commits that
        measurements cannot tell apart come together.
        """
        posterior = self.posterior()
        groups = self._groups()
        chosen: list[int] = []
        for group in sorted(groups, key=lambda group: -float(posterior[group].max())):
            chosen += group
            if posterior[chosen].sum() >= 1 - error:
                break
        return tuple(sorted(chosen))

    def _groups(self) -> list[list[int]]:
        """Commits between which none can be measured."""
        groups: list[list[int]] = [[]]
        for commit in range(self.n):
            groups[-1].append(commit)
            if commit not in self.untestable:
                groups.append([])
        return [group for group in groups if group]

    def following(self, error: float) -> int | None:
        """The commit to measure next; ``None`` where the answer is as small as it can get."""
        chosen = self.credible(error)
        if any(set(chosen) <= set(group) for group in self._groups()):
            return None
        below = np.cumsum(self.posterior())
        free: Sequence[int] = [commit for commit in range(self.n - 1) if commit not in self.untestable]
        return min(free, key=lambda commit: abs(float(below[commit]) - 0.5), default=None)
