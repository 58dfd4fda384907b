"""``PageContents``: all that a page can show of one record; it shows models and other answers, too."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from steelyard.claims.verdict import Checked
from steelyard.core.series import Series
from steelyard.results.analysis import Answer
from steelyard.results.contexts import ByContext
from steelyard.results.portrait import Portrait
from steelyard.scaling.holdout import Holdout
from steelyard.scaling.model import ScalingModel


class Curve(msgspec.Struct, frozen=True):
    """A series and its model, with predictions along the whole of it.

    Attributes
    ----------
    published : ScalingModel or None
        The model by the published method, where it is drawn beside.
    """

    series: Series
    model: ScalingModel
    published: ScalingModel | None = None


class PageModels(msgspec.Struct, frozen=True):
    """Models of data that are no record.

    Attributes
    ----------
    name : str
        The name of the file.
    curves : tuple of Curve
        In the order of the data.
    not_drawn : tuple of str
        Functions of several parameters.
    holdouts : tuple of Holdout
        Last points held out, where an audit was asked for.
    """

    name: str
    curves: tuple[Curve, ...]
    not_drawn: tuple[str, ...] = ()
    holdouts: tuple[Holdout, ...] = ()


class PageContents(msgspec.Struct, frozen=True):
    """All that a page can show of one record.

    Attributes
    ----------
    answer : Answer or None
        ``None`` where nothing can be said yet; ``why`` says why.
    checked : Checked or None
        The claims of its spec, where it has some.
    curves : tuple of Curve
        Growth with a numeric factor of at least four levels.
    parts : Mapping[str, object]
        What extensions answer from the record, by name; their sections show it.
    """

    portrait: Portrait
    answer: Answer | None
    why: str = ""
    by_context: ByContext | None = None
    checked: Checked | None = None
    curves: tuple[Curve, ...] = ()
    parts: Mapping[str, object] = {}


Shown = PageContents | PageModels | msgspec.Struct
"""A part of a page: a record, models, or the answer of an extension that has a page for it."""
