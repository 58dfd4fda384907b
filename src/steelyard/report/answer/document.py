"""The document ``steelyard/comparison``: an ``Answer``, its notices in words, and verdicts on claims.

History: version 1, the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from steelyard.core.units import Scalar
from steelyard.report.answer.sentences import format_notice as sentence
from steelyard.report.answer.words import Names, names
from steelyard.results.analysis import Answer
from steelyard.results.document import Format
from steelyard.results.notice import Notice


class NoticeInWords(msgspec.Struct, frozen=True):
    """A warning or a limit, as data and in words."""

    kind: str
    treatments: tuple[str, ...]
    fields: Mapping[str, Scalar]
    words: str


def _put_in_words(called: Names, notice: Notice) -> NoticeInWords:
    return NoticeInWords(notice.kind, notice.treatments, notice.fields, sentence(notice, called))


COMPARISON: Final = Format(
    "steelyard/comparison", 1, Answer, {Notice: _put_in_words}, {"claims": tuple[Mapping[str, Any], ...]}
)
"""``claims``: verdicts on the claims of the spec, as in ``steelyard/verdicts``; where it claims something."""


def render(answer: Answer, claims: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return the document as text; its numbers are plain floats, none of them NaN or infinite."""
    called = names(sample.treatment.label for sample in answer.samples)
    format_ = replace(COMPARISON, views={Notice: partial(_put_in_words, called)})
    return format_.text(answer, **({"claims": claims} if claims else {}))
