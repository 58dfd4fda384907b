"""``Format``: all that a format says of itself, from which its files are read.

A declaration has no code of its own: how the text is cut into rows, which fields of a row are labels, which
are values, in which unit and which way is better, and what says that a run failed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import msgspec

from steelyard.core.units import Better
from steelyard.extensions.exchange.importers.contents import FileContents, Repeats
from steelyard.extensions.outputs.rows import Row
from steelyard.extensions.outputs.shapes import Shape

Field = str | Callable[[Row], object]
"""Path of a field, or what makes it of a row."""

HEAD: Final = 65_536
"""Characters of a text that say of which format it is."""
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


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """A format: a function from a text, and what to call it, to ``FileContents``.

    Attributes
    ----------
    name : str
        As ``--format`` takes it.
    marks : tuple of str
        Expressions that the beginning of a text has, all of them.
    shape : Shape
    rows : tuple of Rows
    version : str
        Field of the document.
    host : Mapping[str, str]
        Facts of the machine, by field of the document.
    repeats : {"launch", "process"}
        What the rows of one configuration are.
    units : Mapping[str, str]
        Units that the tool spells in its own way.
    notes : tuple of str
        What every file of the format lacks.
    end : str
        Expression that a whole file has; without it, some of its runs may be missing.
    histograms : tuple of Histogram
        Of each row.
    limits : Mapping[str, str]
        Fields of the document with the limits at which runs are ended, by metric.
    continues : callable, optional
        Whether a document shows the run of the one before again, further on: of these, the last counts.
    """

    name: str
    marks: tuple[str, ...]
    shape: Shape
    rows: tuple[Rows, ...]
    version: str = ""
    host: Mapping[str, str] = {}
    repeats: Repeats = "launch"
    units: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    end: str = ""
    histograms: tuple[Histogram, ...] = ()
    limits: Mapping[str, str] = {}
    continues: Callable[[Any, Any], bool] | None = None

    def looks_like(self, text: str) -> bool:
        """Whether the text begins as one of the format."""
        return all(re.search(mark, text[:HEAD], re.MULTILINE) for mark in self.marks)

    def __call__(self, text: str, place: str) -> FileContents:
        """Read a text.

        Raises
        ------
        UsageError
            It is of another format, or is damaged.
        """
        from steelyard.extensions.outputs.reading import read

        return read(self, text, place)
