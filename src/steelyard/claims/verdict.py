"""``Verdict``: whether a claim holds, over all of its strata, and what that rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from steelyard.claims.evidence import BreaksEvidence, Evidence
from steelyard.core.errors import ProgramError
from steelyard.core.units import Scalar
from steelyard.spec.claims.claim import Claim
from steelyard.stats.compare.judgement import Outcome


class Instance(msgspec.Struct, frozen=True):
    """A claim in one stratum (or for one function): levels and labels, the outcome there, the evidence."""

    stratum: Mapping[str, Scalar]
    outcome: Outcome
    evidence: Evidence


class Family(msgspec.Struct, frozen=True):
    """Test of a claim among the others of its experiment.

    Attributes
    ----------
    p : float
        The smallest level at which the claim would be decided, were it alone.
    p_holm : float
        The same, adjusted over ``size`` claims.
    level : float
        At which it was decided: alpha over the claims that were left at its step of Holm.
    """

    p: float
    p_holm: float
    level: float
    size: int


class Verdict(msgspec.Struct, frozen=True):
    """One claim, judged.

    Attributes
    ----------
    outcome : {"holds", "fails", "not_resolved", "not_judged"}
        Fails where it fails in one stratum, holds where it holds in all; not judged where one stratum is not,
        or where there is none.
    family : Family or None
        ``None`` where the outcome is a probability of a model and no test.
    breaks : tuple of BreaksEvidence
        For a limit without ``at``: from where on it breaks.
    """

    claim: Claim
    outcome: Outcome
    instances: tuple[Instance, ...]
    family: Family | None = None
    breaks: tuple[BreaksEvidence, ...] = ()

    def judging_nothing(self) -> Verdict:
        """Return the same as of a record that was edited: not judged."""
        instances = tuple(replace(instance, outcome="not_judged") for instance in self.instances)
        return replace(self, instances=instances, outcome="not_judged")

    def strictly(self) -> Verdict:
        """Return the same under ``--strict``: what is only approximately as stated is not resolved."""
        instances = tuple(
            replace(instance, outcome="not_resolved") if _holds_approximately(instance) else instance
            for instance in self.instances
        )
        if instances == self.instances:
            return self
        return replace(self, instances=instances, outcome=combine(instance.outcome for instance in instances))


Reservation = Literal["edited", "failed", "unfinished", "imprecise", "afterwards", "departing"]
"""What keeps verdicts from counting under ``--strict``, whatever they are."""


class Checked(msgspec.Struct, frozen=True):
    """All claims of one experiment, judged.

    Attributes
    ----------
    experiment : str
    record : Path or None
        ``None`` where data came from elsewhere.
    alpha : float
        Probability of any wrong verdict among the tests.
    precise : bool
        False where the run ended before the precision that the spec wants.
    finished : bool
        Whether the run had come to its end.
    afterwards : bool
        Whether the claims are not those with which the record was run.
    failed : bool
        Whether the last run ended because a program failed.
    departures : tuple of str
        Where the experiment differs from the baseline whose claims were judged: ``key.path: old → new``.
    has_baseline : bool
        Whether claims of a baseline were judged, before those of the experiment.
    records : int
        Records of one spec whose claims are one family with these, this one included.
    edited : str
        How the record departs from what was measured, as the end of a sentence; empty where it does not.
    notes : tuple of str
        Sentences about the record that stand with its answer, too, and counts of runs that failed.
    """

    experiment: str
    record: Path | None
    alpha: float
    verdicts: tuple[Verdict, ...]
    precise: bool = True
    finished: bool = True
    afterwards: bool = False
    failed: bool = False
    departures: tuple[str, ...] = ()
    has_baseline: bool = False
    records: int = 1
    edited: str = ""
    notes: tuple[str, ...] = ()

    @property
    def reservations(self) -> Mapping[Reservation, Outcome]:
        """What keeps the verdicts from counting, and as which outcome it counts itself."""
        every: tuple[tuple[Reservation, Outcome, bool], ...] = (
            ("edited", "fails", bool(self.edited)),
            ("failed", "fails", self.failed),
            ("unfinished", "not_judged", not self.finished and not self.failed),
            ("imprecise", "not_resolved", not self.precise),
            ("afterwards", "not_judged", self.afterwards),
            ("departing", "not_judged", bool(self.departures)),
        )
        return {name: outcome for name, outcome, holds in every if holds}

    @property
    def is_undecided(self) -> bool:
        """Whether no claim was decided, though there are some and the run did not fail."""
        outcomes = {verdict.outcome for verdict in self.verdicts}
        return bool(outcomes) and not self.failed and outcomes.isdisjoint(("holds", "fails"))

    def judging_nothing(self) -> Checked:
        """All verdicts as they are of a record that was edited: nothing is judged."""
        return replace(self, verdicts=tuple(verdict.judging_nothing() for verdict in self.verdicts))

    def strictly(self) -> Checked:
        """All verdicts as they are under ``--strict``."""
        return replace(self, verdicts=tuple(verdict.strictly() for verdict in self.verdicts))

    def exit_code(self, *, strict: bool) -> int:
        """Exit code: 5 where the run failed.

        It is 1 where a claim fails; 3 under ``strict`` where one is not resolved, not judged or holds only
        approximately, and where there are reservations. It is 3 whatever is asked for where the record was
        edited.
        """
        if self.failed:
            return ProgramError.exit_code
        if self.edited:
            return 3
        outcomes = {verdict.outcome for verdict in (self.strictly() if strict else self).verdicts}
        if "fails" in outcomes:
            return 1
        return 3 if strict and (outcomes - {"holds"} or self.reservations) else 0


def _holds_approximately(instance: Instance) -> bool:
    return instance.outcome == "holds" and instance.evidence.is_approximate


def combine(outcomes: Iterable[Outcome]) -> Outcome:
    """Outcome over all strata."""
    distinct = set(outcomes)
    if "fails" in distinct:
        return "fails"
    if not distinct or "not_judged" in distinct:
        return "not_judged"
    return "holds" if distinct == {"holds"} else "not_resolved"


def name_unjudged(instance: Instance) -> Instance:
    """Call an instance not judged where its evidence has a reason that it decides nothing."""
    if instance.outcome != "not_resolved" or getattr(instance.evidence, "reason", None) is None:
        return instance
    return replace(instance, outcome="not_judged")
