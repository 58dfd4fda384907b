"""``History``: what changed over a series of records, at which commit, and how sure that is.

Its document is ``steelyard/history``. History: version 1, the first; version 2 has
``wanders`` in place of ``drift``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Metric, Scalar
from steelyard.results.digest import Digest
from steelyard.results.direction import Direction
from steelyard.results.document import Format, Lines
from steelyard.results.interval import Interval
from steelyard.results.left_out import LeftOut

Kind = Literal["level", "spread", "slow_runs"]
"""Of change: in the median of a record, in the standard deviation of its ordinary runs, or in the fraction of
slow ones."""

Pattern = Literal["line", "walk", "cycle", "regimes"]
"""How a level wanders: along a straight line, as a random walk does or slowly back to a mean, in cycles, or
between the same two levels."""

Order = Literal["git", "time", "name"]


LARGEST_UNSEEN: Final = 0.1
"""Step of level that every series must have been able to show, for a strict check to hold."""
LEAST_BEHIND: Final = 2
"""Records behind a change: one alone is an outlier as well."""


class Point(msgspec.Struct, frozen=True):
    """One record in a series.

    Attributes
    ----------
    commit : str
        Its commit, or the name of the record where that is not known.
    median : float
        As in ``digest``; over that of the reference program, where there is one.
    u : float
        Standard uncertainty of the median's logarithm, that of the reference in it; 0 where it is not known.
    """

    commit: str
    digest: Digest
    median: float
    u: float
    __lines__: ClassVar[Lines] = ("commit", "n=digest.n", "median", "u", "s=digest.s", "slow=digest.slow")


Outcome = Literal["confirmed", "refuted", "open"]


class Confirmation(msgspec.Struct, frozen=True):
    """What came of measuring the commits on both sides of a change side by side.

    Attributes
    ----------
    outcome : Outcome
        ``open``: no difference was seen, and one of this size might not have been.
    ratio, ci95 : float and Interval
        Behind the change over before it.
    blocks : int
        In which both ran.
    commits : tuple of str
        Those of which one made it, with ``probability``; empty where none is named.
    layouts : int
        Blocks with builds of their own; 0 where each commit is one build.
    """

    outcome: Outcome
    ratio: float
    ci95: Interval
    blocks: int
    commits: tuple[str, ...]
    probability: float
    layouts: int = 0


class Change(msgspec.Struct, frozen=True):
    """A lasting change.

    Attributes
    ----------
    last_before, first : str
        The last record of the old behaviour, and the first of the new, as far as can be told.
    commits : tuple of str
        One of these made the change, with ``probability`` of at least 0.95; oldest first. Commits without a
        record are among them.
    before, after : float
        Median, relative standard deviation, or fraction of slow runs.
    ratio, ci95 : float and Interval, or None
        After over before; ``None`` of a fraction of slow runs.
    p : float
        Of the hypothesis that the whole series is stable: the probability of such a step anywhere in it.
    undone_by : str or None
        The commit of the next change, where that leads back to within the uncertainty.
    confirmation : Confirmation or None
        ``None`` of a change that is only suspected: its records were made at different times.
    """

    kind: Kind
    last_before: str
    first: str
    commits: tuple[str, ...]
    probability: float
    before: float
    after: float
    ratio: float | None
    ci95: Interval | None
    p: float
    direction: Direction
    undone_by: str | None = None
    confirmation: Confirmation | None = None

    @property
    def stands(self) -> bool:
        """Whether no later change undoes it, and measuring side by side has not failed to show it."""
        return self.undone_by is None and (
            self.confirmation is None or self.confirmation.outcome == "confirmed"
        )


class Resolvable(msgspec.Struct, frozen=True):
    """The smallest lasting changes of level that would have shown in 80 % of cases, as fractions.

    Attributes
    ----------
    middle : float
        With half of the records on either side.
    latest : float
        With two records behind it, the least.
    """

    middle: float
    latest: float


class Wander(msgspec.Struct, frozen=True):
    """A series with steps that another pattern describes about as well, so that no commit is named.

    Attributes
    ----------
    ratio : float or None
        The last record over the first along a straight line; ``None`` of other patterns.
    """

    kind: Kind
    pattern: Pattern
    ratio: float | None = None


class SeriesHistory(msgspec.Struct, frozen=True):
    """One metric of one treatment on one machine.

    Attributes
    ----------
    machine : int
        Number of the machine in ``History.machines``, from 1.
    noise : float or None
        Relative standard deviation of the records around their level.
    correlation : float or None
        Of the noise of neighbouring records, 0 to 0.9.
    outliers : tuple of str
        Records far from their neighbours on both sides; they move no result.
    wanders : tuple of Wander
        Of the kinds whose steps another pattern describes about as well; these steps are not given.
    resolvable : Resolvable or None
        The smallest lasting change of level that would probably have been detected.
    refused : str or None
        Why nothing is said of it.
    broken_off : str or None
        The error, a defect of Steelyard, that broke its analysis off.
    ends : str or None
        The last record that has it on any machine, where more of the newest records lack it than ever before.
    """

    treatment: str
    metric: Metric
    labels: Mapping[str, Scalar]
    machine: int
    points: tuple[Point, ...]
    noise: float | None = None
    correlation: float | None = None
    changes: tuple[Change, ...] = ()
    outliers: tuple[str, ...] = ()
    wanders: tuple[Wander, ...] = ()
    resolvable: Resolvable | None = None
    refused: str | None = None
    broken_off: str | None = None
    ends: str | None = None

    @property
    def is_judged(self) -> bool:
        """Whether it is long enough, its analysis was completed, and no level wanders."""
        return not (self.refused or self.broken_off or self.wanders)


class MachineBreak(msgspec.Struct, frozen=True):
    """Two records that follow each other and come from different machines, which nothing is compared across.

    Attributes
    ----------
    differs : tuple of str
        ``fact: before → after``.
    """

    last_before: str
    first: str
    differs: tuple[str, ...]


class OpenQuestion(msgspec.Struct, frozen=True):
    """A reason why a history in which nothing became worse proves nothing.

    Attributes
    ----------
    reason : str
        ``unreadable``: a record cannot be read. ``unmeasured``: the last commits have no record.
        ``too_recent``: too few records follow for a change to be told. ``series``: one is not judged.
        ``noise``: one is too noisy to show the smallest change that matters. ``unconfirmed``: a change did
        not show side by side, where it might have been missed. ``ended``: the newest records lack one.
        ``unclear``: nothing says which way the metric of one is better.
    """

    reason: Literal[
        "unreadable", "unmeasured", "too_recent", "series", "noise", "unconfirmed", "ended", "unclear"
    ]
    series: SeriesHistory | None = None
    record: LeftOut | None = None


class History(msgspec.Struct, frozen=True):
    """The outcome of ``steelyard history``.

    Attributes
    ----------
    records : int
        That are part of it.
    order : {"git", "time", "name"}
        By the first parents of a revision, by when the records were made, or by the names of reports that do
        not say when they were made.
    missing : int
        Commits between the first and the last that have no record.
    unmeasured : int
        Commits of the revision behind the last that has a record; 0 in the order of time.
    alpha : float
        Of the series that are said to change, at most this share is stable (Benjamini and Hochberg 1995); of
        one series alone, the probability of a false alarm.
    reference : str or None
        The program that all others were divided by, record by record.
    machines : tuple of Mapping
        The facts by which machines differ.
    commits : tuple of str
        Those that have a record, or the names of records, in order.
    unclear : tuple of str
        Metrics of reports whose unit does not say which way is better, so that no change of them is worse.
    cpu_time : tuple of SeriesHistory
        ``cpu_s`` of the same records, where its level changes and that of the time which was judged does not;
        a family of its own, on which no check rests.
    """

    experiment: str
    records: int
    order: Order
    first: str
    last: str
    missing: int
    alpha: float
    reference: str | None
    machines: tuple[Mapping[str, Scalar], ...]
    breaks: tuple[MachineBreak, ...]
    left_out: tuple[LeftOut, ...]
    series: tuple[SeriesHistory, ...]
    commits: tuple[str, ...] = ()
    unmeasured: int = 0
    unclear: tuple[str, ...] = ()
    cpu_time: tuple[SeriesHistory, ...] = ()

    @property
    def changes(self) -> list[tuple[SeriesHistory, Change]]:
        """Every change with its series, the latest last."""
        order = {commit: place for place, commit in enumerate(self.commits)}
        pairs = [(series, change) for series in self.series for change in series.changes]
        return sorted(pairs, key=lambda pair: (order[pair[1].first], pair[0].treatment))

    def regressions(self, since: str | None = None) -> list[tuple[SeriesHistory, Change]]:
        """Return lasting changes for the worse: not undone later, and confirmed where measured side by side.

        Parameters
        ----------
        since : str, optional
            Count only those of this commit or record and later ones; its beginning is enough where no other
            has the same.

        Raises
        ------
        UsageError
            ``since`` names none of this history, or several.
        """
        late = self.commits if since is None else self.commits[self._place(since) :]
        return [
            (series, change)
            for series, change in self.changes
            if change.direction == "worse" and change.stands and change.first in late
        ]

    def _place(self, name: str) -> int:
        exact = [place for place, commit in enumerate(self.commits) if commit == name]
        numbers = exact or [place for place, commit in enumerate(self.commits) if commit.startswith(name)]
        if len(numbers) != 1:
            text = "no record" if not numbers else f"{len(numbers)} records"
            raise UsageError(
                f"--since {name}: {text} of this history by that name",
                hint=f"its records are those from {self.commits[0]} to {self.commits[-1]}",
            )
        return numbers[0]

    def open_questions(self, since: str | None = None, least: float = LARGEST_UNSEEN) -> list[OpenQuestion]:
        """List why the absence of a change proves nothing.

        Parameters
        ----------
        since : str, optional
            As in ``regressions``.
        least : float
            The smallest change of level that matters, as a fraction: each series must have been able to show
            it.

        Raises
        ------
        UsageError
            ``since`` names none of this history, or several.
        """
        start = 0 if since is None else self._place(since)
        questions = [
            OpenQuestion("unreadable", record=record) for record in self.left_out if record.unreadable
        ]
        if self.unmeasured:
            questions.append(OpenQuestion("unmeasured"))
        if len(self.commits) - start < LEAST_BEHIND:
            questions.append(OpenQuestion("too_recent"))
        for series in self.series:
            if not series.is_judged:
                questions.append(OpenQuestion("series", series))
            elif series.resolvable is not None and series.resolvable.middle > least:
                questions.append(OpenQuestion("noise", series))
            if series.ends is not None:
                questions.append(OpenQuestion("ended", series))
            if series.metric.name in self.unclear:
                questions.append(OpenQuestion("unclear", series))
            if any(
                change.confirmation is not None and change.confirmation.outcome == "open"
                for change in series.changes
            ):
                questions.append(OpenQuestion("unconfirmed", series))
        return questions

    def exit_code(self, *, strict: bool, since: str | None = None, least: float = LARGEST_UNSEEN) -> int:
        """Exit code: 1 where something has become worse and stays so.

        It is 3 where the analysis of a series broke off, and under ``strict`` where a question is open.
        """
        if self.regressions(since):
            return 1
        questions = self.open_questions(since, least)
        broken_off = any(series.broken_off for series in self.series)
        return 3 if broken_off or (strict and questions) else 0


HISTORY: Final = Format("steelyard/history", 2, History)
