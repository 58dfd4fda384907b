"""``OverLooks``: p-values and intervals of a ratio that are valid at every look at its blocks."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from steelyard.results.analysis import DesignFacts
from steelyard.results.assumptions import Allowance
from steelyard.results.comparison import Distribution, Speedup
from steelyard.results.interval import Interval
from steelyard.stats.sequential.looks import Looks


class OverLooks(msgspec.Struct, frozen=True):
    """The distribution of a ratio by the blocks so far, valid over all looks.

    That the 95 % interval of any look, or of later ones, misses the true ratio has a probability of at most
    5 % (repeated confidence intervals, Jennison and Turnbull 1989, DOI 10.1111/j.2517-6161.1989.tb01433.x).
    P values hold over all looks too.
    """

    at_last: Distribution
    looks: Looks

    def p_of(self, ratio: float) -> float:
        """Two-sided p of the hypothesis that the ratio is ``ratio``, above 0."""
        return self.looks.overall(self.at_last.p_of(ratio))

    def interval(self, alpha: float) -> Interval | None:
        """Two-sided at level 1 - ``alpha`` over all looks; ``None`` where it is unbounded."""
        return self.at_last.interval(self.looks.level(alpha))


def correct_for_looks(ratio: Speedup, looks: Looks) -> Speedup:
    """Return the same estimate with p and intervals that are valid over the looks."""
    distribution = OverLooks(ratio.distribution, looks)
    allowances: tuple[Allowance, ...] = (*ratio.allowances, "looks")
    return replace(ratio, p=distribution.p_of(1.0), distribution=distribution, allowances=allowances)


def looks_of(facts: DesignFacts) -> Looks | None:
    """Return looks at which an experiment may have ended by their results, and the blocks of today.

    ``None`` of one that was to have so many blocks, whatever they show.

    A look whose interval was too wide could not end the run and spends nothing, unless somebody ended it by
    hand, who may have seen more than the rule did
    (docs/decisions/stopping/214-the-look-that-a-limit-makes-the-last.md).
    """
    last = facts.blocks
    if facts.decided:
        by_rule = facts.closed is not None or facts.state in ("complete", "precision_not_reached")
        numbers = [look for look in facts.looks if not (by_rule and look in facts.idle)]
        closed = None if facts.closed is None else max(3, min(facts.closed, last))
        # Nothing is spent for two blocks; they are judged as three.
        looked_at = {
            max(3, min(number, last)) for number in (*numbers, *facts.extended_from, closed or last, last)
        }
        return Looks(tuple(sorted(looked_at)), closed, facts.until)
    if facts.extended_from:
        looked_at = {*facts.extended_from, last}
        return Looks(tuple(sorted(looked_at)), min(looked_at))
    if facts.target is not None:
        return Looks((last,), last)
    return None
