"""What a format says of its rows, and of the values in them.

A declaration has no code of its own: how the text is cut into rows, which fields of a row are labels, which
are values, in which unit and which way is better, and what says that a run failed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal

import msgspec

from steelyard.core.units import Better
from steelyard.extensions.outputs.rows import Row

Field = str | Callable[[Row], object]
"""Path of a field, or what makes it of a row."""

ANY: Final = r"(?s).+"
COUNT: Final = r"(?!0+(?:\.0+)?%?$).+"
"""A number other than 0."""
ABSENT: Final = ""
NO_VALUE: Final = "no value: the output ends early, or is of another version"


class Measure(msgspec.Struct, frozen=True):
    """A value of a row.

    Attributes
    ----------
    metric : str
        Its name; ``<field>``: as that field says.
    field : Field
        Where it is; several values are repetitions in one launch.
    unit : str
        As the tool spells it; ``<field>``: as that field says, ``<>``: behind the number itself.
    better : {"lower", "higher", "neither"} or None
        ``None``: as the unit says, otherwise neither.
    places : str
        Path below the row: every place that it finds has a value of its own, ``metric``, ``field`` and
        ``unit`` being fields of that place.
    minus : str
        Field that is subtracted.
    """

    metric: str
    field: Field
    unit: str = ""
    better: Better | None = None
    places: str = ""
    minus: str = ""


class Fault(msgspec.Struct, frozen=True):
    """What says that a row is a run that failed; the first one of a row counts.

    Attributes
    ----------
    field : Field
    words : str
        The reason; ``{value}`` stands for what the field says.
    when : str
        Expression that the whole of the field matches; an absent field is empty.
    kind : {"failed", "wrong", "timed_out", "skipped"}
        ``wrong``: it ended with a wrong answer.
    """

    field: Field
    words: str = "{value}"
    when: str = ANY
    kind: Literal["failed", "wrong", "timed_out", "skipped"] = "failed"


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a kind: one for each run of each configuration.

    Attributes
    ----------
    path : str
        As in ``rows``.
    labels : Mapping[str, Field]
        What tells configurations apart; one that is absent or empty is no label.
    measures : tuple of Measure
        The first is the primary one.
    faults : tuple of Fault
    launch : str
        Field by which rows of one configuration are repetitions of one launch.
    keeps : callable, optional
        Whether a row is one: others are no runs.
    without : str
        Why a row may have no value, where the tool says nothing of a failure.
    """

    path: str
    labels: Mapping[str, Field]
    measures: tuple[Measure, ...]
    faults: tuple[Fault, ...] = ()
    launch: str = ""
    keeps: Callable[[Row], bool] | None = None
    without: str = NO_VALUE


class Histogram(msgspec.Struct, frozen=True):
    """Counts of values in bins, of which quantiles have intervals.

    Attributes
    ----------
    metric : str
    field : Field
        A mapping from values to counts.
    unit : str
    width : float or None
        Of a bin, as a share of the value in its middle; ``None``: a value is the upper end of its bin, which
        begins at the value before.
    """

    metric: str
    field: Field
    unit: str
    width: float | None = None
