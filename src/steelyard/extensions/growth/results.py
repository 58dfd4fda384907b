"""What a page shows of models: curves of a record, and models of data that are no record."""

from __future__ import annotations

import msgspec

from steelyard.core.series import Series
from steelyard.extensions.growth.scaling.holdout import Holdout
from steelyard.extensions.growth.scaling.model import ScalingModel


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
