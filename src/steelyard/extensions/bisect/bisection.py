"""``Search``: which commit of a line made a change, from noisy comparisons with both ends.

The first commit behind the good end has number 0, the bad end the last. The hypothesis h says that commit h
made the change; a commit m that is measured then behaves as the bad end where m >= h, else as the good one.
The next commit is the one that halves the probability (probabilistic bisection: Horstein 1963, DOI
10.1109/TIT.1963.1057832; Waeber, Frazier and Henderson 2013, DOI 10.1137/120861898). ``builds`` has the
probabilities; nothing is decided for good, so that later results outweigh one that was wrong.

In a block with both ends, d = bad - good and z = 2 middle - good - bad (logarithms) are uncorrelated; z / 2
is the distance of the commit from the middle between both ends.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.sample import S_PER_MAD
from steelyard.extensions.bisect.builds import NO_LAYOUT, Builds, BuildsVerdict, spread_taus
from steelyard.extensions.bisect.results import Likeness

UNLIKE: Final = 4.0
"""Standard deviations from either end, those between builds in them, from which a commit is like neither."""
SHARE: Final = 0.4
"""Of the stated error, what the place of the change may be wrong by. The rest is for steps of twice the
standard deviation between builds, where probabilities are too sure while few builds show it (simulated)."""
LEAST_BATCHES: Final = 2
"""Of the builds beside a commit that is named: a batch that was disturbed shows by its repetition."""
PRECISE: Final = 0.5
"""Variance of the measurement over that between builds, below which measuring again tells hardly more."""
AGREE: Final = 3.0
"""Standard errors by which two batches of one build may differ."""
NEGLIGIBLE: Final = 0.15
"""Uncertainty of a build, as a fraction of the difference of the ends, below which it is as good as exact."""


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


class Compared(msgspec.Struct, frozen=True):
    """A commit in blocks with both ends, in logarithms.

    Attributes
    ----------
    middles : array
        2 middle - good - bad of each block.
    over_good : float
        Mean of middle - good.
    batches : int
        In which the blocks were measured, of as many blocks each.
    """

    middles: Floats
    over_good: float
    batches: int

    def place(self, variance: float) -> tuple[float, float]:
        """Distance from the middle between both ends, and its variance.

        Parameters
        ----------
        variance : float
            Of one run. Batches may differ by more, where one was disturbed; of three and more the median
            counts, with the error that their median absolute deviation shows.
        """
        means = np.array([batch.mean() for batch in np.array_split(self.middles, self.batches)]) / 2
        least = 1.5 * variance / self.middles.size
        if self.batches <= LEAST_BATCHES:
            between = float(means.var(ddof=1)) / means.size if means.size > 1 else 0.0
            # Two batches that agree by chance show nothing; two that do not are one of a disturbed machine.
            excess = between if between > AGREE**2 * least else 0.0
            return float(means.mean()), max(least, excess)
        middle = float(np.median(means))
        deviation = S_PER_MAD * float(np.median(np.abs(means - middle)))
        return middle, math.pi / 2 * max(least, deviation**2 / means.size)


def pool_variance(differences: Floats, compared: Mapping[int, Compared]) -> Ends:
    """Return the ends, with the variance of a run from all blocks."""
    squares = float(((differences - differences.mean()) ** 2).sum()) / 2
    nu = differences.size - 1
    for comparisons in compared.values():
        squares += float(((comparisons.middles - comparisons.middles.mean()) ** 2).sum()) / 6
        nu += comparisons.middles.size - 1
    # Programs whose counts never change have no noise; that of a millionth stands for it.
    return Ends(float(differences.mean()), differences.size, max(squares / nu, 1e-12), nu)


class Search(msgspec.Struct, frozen=True):
    """The state of a search over ``n`` commits.

    Attributes
    ----------
    untestable : frozenset of int
        Commits that cannot be measured.
    has_drawn_layouts : bool
        Whether each block has builds of its own, so that what builds differ by is in the spread of blocks.
    """

    n: int
    ends: Ends
    compared: Mapping[int, Compared] = {}
    untestable: frozenset[int] = frozenset()
    has_drawn_layouts: bool = False

    def verdict(self) -> BuildsVerdict:
        """Weigh the hypotheses by all builds."""
        ordered = sorted(self.compared)
        places = [self.compared[commit].place(self.ends.variance) for commit in ordered]
        # Either end against the middle between both.
        end = self.ends.variance / (2 * self.ends.n)
        half = self.ends.mean / 2
        builds = Builds(
            np.array([0, *(commit + 1 for commit in ordered), self.n]),
            np.array([-half, *(value for value, _ in places), half]),
            np.array([end, *(variance for _, variance in places), end]),
        )
        sd = math.sqrt(self.ends.variance)
        taus = NO_LAYOUT if self.has_drawn_layouts else spread_taus(sd)
        return builds.judge(self.n, abs(self.ends.mean), taus)

    def p_bad(self, commit: int, tau: float) -> float:
        """Probability of a measured commit to behave as the bad end, by its own blocks alone.

        Parameters
        ----------
        tau : float
            Standard deviation between builds.
        """
        good, bad = self._measure_distances(commit, tau)
        return 1 / (1 + math.exp(min(700.0, (bad**2 - good**2) / 2)))

    def likeness(self, commit: int, tau: float) -> Likeness:
        """Return the end that a measured commit behaves as."""
        good, bad = self._measure_distances(commit, tau)
        if min(abs(good), abs(bad)) > UNLIKE and good * bad < 0:
            return "between"
        p = self.p_bad(commit, tau)
        return "bad" if p > 0.95 else "good" if p < 0.05 else "open"

    def _measure_distances(self, commit: int, tau: float) -> tuple[float, float]:
        value, variance = self.compared[commit].place(self.ends.variance)
        # The end that it is compared with is a build too.
        error = math.sqrt(variance + 2 * tau**2 + self.ends.variance / (2 * self.ends.n))
        return (value + self.ends.mean / 2) / error, (value - self.ends.mean / 2) / error

    def credible(self, error: float, verdict: BuildsVerdict) -> tuple[int, ...]:
        """Return the fewest commits, ascending, that reach 1 - ``error`` with the probability of no change.

        Commits that measurements cannot tell apart come together.
        """
        chosen: list[int] = []
        for group in sorted(self._group_places(), key=lambda group: -float(verdict.commits[group].max())):
            chosen += group
            if verdict.commits[chosen].sum() + verdict.no_change >= 1 - SHARE * error:
                break
        return tuple(sorted(chosen))

    def is_named(self, error: float, verdict: BuildsVerdict) -> bool:
        """Whether the change, not only its place, is as sure as asked."""
        return self.n > 0 and verdict.no_change <= SHARE * error

    def _group_places(self) -> list[list[int]]:
        """Group commits between which none can be measured."""
        groups: list[list[int]] = [[]]
        for commit in range(self.n):
            groups[-1].append(commit)
            if commit not in self.untestable:
                groups.append([])
        return [group for group in groups if group]

    def following(self, error: float, verdict: BuildsVerdict) -> int | None:
        """Return the commit to measure next; ``None`` where the answer is as small as it can get."""
        if verdict.no_change >= 1 - SHARE * error:
            return None
        chosen = self.credible(error, verdict)
        sides = self._list_unconfirmed(chosen)
        settled = self.is_named(error, verdict) and any(
            set(chosen) <= set(group) for group in self._group_places()
        )
        if settled and not sides:
            return None
        if settled:
            return sides[0]
        # The commit m halves the probability of a change where those up to m have half of it.
        halves = np.abs(np.cumsum(verdict.commits) / max(1 - verdict.no_change, 1e-12) - 0.5)
        free = [commit for commit in range(self.n - 1) if commit not in self.untestable]
        between = [commit for commit in free if chosen[0] <= commit < chosen[-1]]
        for commits in (between, free):
            telling = [commit for commit in commits if self._tells(commit, verdict.tau)]
            if telling:
                return min(telling, key=lambda commit: (float(halves[commit]), self._effort(commit)))
        return None

    def _list_unconfirmed(self, chosen: Sequence[int]) -> list[int]:
        """Measured commits next to those that are chosen, of too few batches to exclude a disturbed one."""
        below = [commit for commit in self.compared if commit < chosen[0]]
        behind = [commit for commit in self.compared if commit >= chosen[-1]]
        sides = [*([max(below)] if below else []), *([min(behind)] if behind else [])]
        return [commit for commit in sides if self.compared[commit].batches < LEAST_BATCHES]

    def _effort(self, commit: int) -> int:
        return self.compared[commit].batches if commit in self.compared else 0

    def _tells(self, commit: int, tau: float) -> bool:
        """Whether measuring a commit, for the first time or again, can change what is known of it."""
        if commit not in self.compared:
            return True
        variance = self.compared[commit].place(self.ends.variance)[1]
        return variance > max(PRECISE * tau**2, (NEGLIGIBLE * self.ends.mean) ** 2)
