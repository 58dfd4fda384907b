"""``Series``: one metric of one function at several points; what modelling takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Better, Scalar


class CsvColumns(msgspec.Struct, frozen=True):
    """What the columns of a table are, of which each row is one observation or a summary.

    Attributes
    ----------
    value : str
        The metric.
    parameters : tuple of str
        What varies, as numbers.
    by : tuple of str
        What tells functions apart.
    u, n : str or None
        Standard uncertainty of the value and number of launches behind it.
    unit : str
    pool : tuple of str
        What differs between rows of one function.
    launch : str or None
        What names the launch (job, node, day) of a row: rows of one launch share its luck, and are one value.
    status : str or None
        What says what became of the run of a row; ``None``: a column with a usual name.
    ok : tuple of str
        Words of that column for runs that went well, beside those that are usual.
    """

    value: str
    parameters: tuple[str, ...]
    by: tuple[str, ...] = ()
    u: str | None = None
    n: str | None = None
    unit: str = ""
    pool: tuple[str, ...] = ()
    launch: str | None = None
    status: str | None = None
    ok: tuple[str, ...] = ()


class Point(msgspec.Struct, frozen=True, gc=False):
    """What was observed at one point: the launches, or a summary of them.

    Attributes
    ----------
    at : tuple of float
        One value for each parameter.
    values : tuple of float
        One a launch; a single value where only a mean is known.
    u : float or None
        Standard uncertainty of that mean, where it is known from elsewhere.
    n : int
        Launches behind it.
    """

    at: tuple[float, ...]
    values: tuple[float, ...]
    u: float | None = None
    n: int = 0

    @property
    def launches(self) -> int:
        """How many independent launches stand behind this point."""
        return self.n or len(self.values)


class Series(msgspec.Struct, frozen=True):
    """One metric of one function over the points that were measured, in ascending order.

    Attributes
    ----------
    name : str
        The function, call path or operation.
    metric, unit : str
    parameters : tuple of str
    points : tuple of Point
        Each ``at`` once; sorted.
    labels : Mapping
        What tells this series apart, for reports and JSON.
    counts : bool
        Values are exact counts, or come from a simulation: no noise is looked for where there is none.
    simulated : bool
        Values come from a simulation of a machine, not from one.
    crowded : bool
        Times of more ranks than CPUs are among them: no rank is stated.
    censored : bool
        Runs timed out, or failed more often at one point than at another: what is missing is not missing by
        chance, and no rank is stated.
    lost : tuple of str
        Observations without a finite value, each with its scale, as in "'FAILED' at p = 64 (line 7)": what
        fails is not missing by chance, and no rank is stated.
    lost_at : tuple of tuples of float
        Points at which runs are missing that are not missing by chance, as far as they are known.
    better : {"lower", "higher", "neither"} or None
        Which way is better, where that is known. What is better high is a rate, and modelled as the time of
        a unit of work.
    """

    name: str
    metric: str
    unit: str
    parameters: tuple[str, ...]
    points: tuple[Point, ...]
    labels: Mapping[str, Scalar] = {}
    counts: bool = False
    simulated: bool = False
    crowded: bool = False
    censored: bool = False
    lost: tuple[str, ...] = ()
    lost_at: tuple[tuple[float, ...], ...] = ()
    better: Better | None = None

    @property
    def incomplete(self) -> bool:
        """Whether values are missing that are not missing by chance: no rank is stated."""
        return self.censored or bool(self.lost)


def series_of(  # noqa: PLR0913 -- a series has this many properties
    name: str,
    parameters: Sequence[str],
    at: Sequence[Sequence[float]],
    values: Sequence[Sequence[float]],
    *,
    metric: str = "value",
    unit: str = "",
    u: Sequence[float] | None = None,
    n: Sequence[int] | None = None,
    labels: Mapping[str, Scalar] | None = None,
    counts: bool = False,
) -> Series:
    """Return a series from plain sequences; observations of the same point are put together.

    Raises
    ------
    UsageError
        Lengths differ, or a coordinate or an uncertainty is not usable.
    """
    if len(at) != len(values):
        raise UsageError(
            f"{name}: {len(at)} points but {len(values)} lists of values", hint="give one list a point"
        )
    merged: dict[tuple[float, ...], list[int]] = {}
    for row, point in enumerate(at):
        if len(point) != len(parameters) or not all(math.isfinite(x) for x in point):
            raise UsageError(
                f"{name}: point {list(point)} is not finite numbers for {', '.join(parameters)}",
                hint="give each point one finite coordinate for each parameter",
            )
        merged.setdefault(tuple(map(float, point)), []).append(row)
    points = []
    for point, rows in sorted(merged.items()):
        together = tuple(float(v) for row in rows for v in values[row])
        if u is not None:
            if len(rows) > 1:
                raise UsageError(
                    f"{name}: point {list(point)} has two summaries", hint="give each point once"
                )
            if not (math.isfinite(u[rows[0]]) and u[rows[0]] >= 0):
                raise UsageError(
                    f"{name}: uncertainty {u[rows[0]]} at {list(point)}", hint="u is a number from 0 up"
                )
            points.append(Point(point, together, u[rows[0]], n[rows[0]] if n is not None else 0))
        else:
            points.append(Point(point, together))
    return Series(name, metric, unit, tuple(parameters), tuple(points), labels or {}, counts)
