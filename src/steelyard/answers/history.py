"""``History``: what changed over a series of records, at which commit, and how sure that is.

Its document is ``steelyard/history``. History: version 1, the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

import msgspec

from steelyard.answers.document import Format, Lines
from steelyard.answers.interval import Interval
from steelyard.errors import UsageError
from steelyard.units import Metric, Scalar

Kind = Literal["level", "spread", "slow_runs"]
"""Of change: in the median of a record, in the standard deviation of its ordinary runs, or in the fraction of
slow ones."""

Direction = Literal["better", "worse", "neither"]
Order = Literal["git", "time"]


class Digest(msgspec.Struct, frozen=True):
    """What a history keeps of one metric of one treatment in one record.

    Attributes
    ----------
    n : int
        Launches.
    median : float
        In the unit of the metric.
    s : float or None
        Standard deviation of the logarithms of ordinary runs; ``None`` of fewer than two.
    slow : int
        Runs far worse than the median.
    """

    n: int
    median: float
    s: float | None
    slow: int


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
    drift : float or None
        Ratio of the last to the first record along a straight line, where that describes the series better
        than steps do, which are then not given.
    refused : str or None
        Why nothing is said of it.
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
    drift: float | None = None
    refused: str | None = None


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


class LeftOut(msgspec.Struct, frozen=True):
    """A record that is left out of the history, and the reason as the end of a sentence."""

    record: str
    why: str


class History(msgspec.Struct, frozen=True):
    """The outcome of ``steelyard history``.

    Attributes
    ----------
    records : int
        That are part of it.
    order : {"git", "time"}
        By the first parents of a revision, or by when the records were made.
    missing : int
        Commits between the first and the last that have no record.
    alpha : float
        Of the series that are said to change, at most this share is stable (Benjamini and Hochberg 1995); of
        one series alone, the probability of a false alarm.
    reference : str or None
        The program that all others were divided by, record by record.
    machines : tuple of Mapping
        The facts by which machines differ.
    commits : tuple of str
        Those that have a record, or the names of records, in order.
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

    @property
    def changes(self) -> list[tuple[SeriesHistory, Change]]:
        """Every change with its series, the latest last."""
        order = {commit: place for place, commit in enumerate(self.commits)}
        found = [(series, change) for series in self.series for change in series.changes]
        return sorted(found, key=lambda each: (order[each[1].first], each[0].treatment))

    def regressions(self, since: str | None = None) -> list[tuple[SeriesHistory, Change]]:
        """Changes for the worse that no later one undoes.

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
            if change.direction == "worse" and change.undone_by is None and change.first in late
        ]

    def _place(self, name: str) -> int:
        exact = [place for place, commit in enumerate(self.commits) if commit == name]
        found = exact or [place for place, commit in enumerate(self.commits) if commit.startswith(name)]
        if len(found) != 1:
            what = "no record" if not found else f"{len(found)} records"
            raise UsageError(
                f"--since {name}: {what} of this history by that name",
                hint=f"its records are those from {self.commits[0]} to {self.commits[-1]}",
            )
        return found[0]

    def exit_code(self, *, strict: bool, since: str | None = None) -> int:
        """1 where something has become worse and stays so; 3 under ``strict`` where a series is not judged,
        or drifts.
        """
        if self.regressions(since):
            return 1
        return 3 if strict and any(series.refused or series.drift for series in self.series) else 0


HISTORY: Final = Format("steelyard/history", 1, History)
