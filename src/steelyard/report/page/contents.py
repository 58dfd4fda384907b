"""``Contents``: all that a page can show of one record; a page shows records and histories."""

from __future__ import annotations

import msgspec

from steelyard.answers.analysis import Answer
from steelyard.answers.contexts import ByContext
from steelyard.answers.history import History
from steelyard.answers.observation import Observation
from steelyard.answers.portrait import Portrait
from steelyard.claims.verdict import Checked
from steelyard.scaling.model import ScalingModel
from steelyard.series import Series


class Curve(msgspec.Struct, frozen=True):
    """A series and its model, with predictions along the whole of it."""

    series: Series
    model: ScalingModel


class Contents(msgspec.Struct, frozen=True):
    """All that a page can show of one record.

    Attributes
    ----------
    answer : Answer or None
        ``None`` where nothing can be said yet; ``why`` says why.
    checked : Checked or None
        The claims of its spec, where it has some.
    curves : tuple of Curve
        Growth with a numeric factor of at least four levels.
    observation : Observation or None
        The cost of probes, where the record is that of ``steelyard observe``.
    """

    portrait: Portrait
    answer: Answer | None
    why: str = ""
    by_context: ByContext | None = None
    checked: Checked | None = None
    curves: tuple[Curve, ...] = ()
    observation: Observation | None = None


Shown = Contents | History
"""A part of a page."""
