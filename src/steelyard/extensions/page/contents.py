"""``PageContents``: all that a page can show of one record; it shows other answers, too."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from steelyard.claims.verdict import Checked
from steelyard.results.analysis import Answer
from steelyard.results.contexts import ByContext
from steelyard.results.portrait import Portrait


class PageContents(msgspec.Struct, frozen=True):
    """All that a page can show of one record.

    Attributes
    ----------
    answer : Answer or None
        ``None`` where nothing can be said yet; ``why`` says why.
    checked : Checked or None
        The claims of its spec, where it has some.
    parts : Mapping[str, object]
        What extensions answer from the record, by name; their sections show it.
    """

    portrait: Portrait
    answer: Answer | None
    why: str = ""
    by_context: ByContext | None = None
    checked: Checked | None = None
    parts: Mapping[str, object] = {}


Shown = PageContents | msgspec.Struct
"""A part of a page: a record, or the answer of an extension that has a page for it."""
