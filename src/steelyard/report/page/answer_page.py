"""``AnswerPage``: the part of the page that shows the answer of an extension that is no record."""

from __future__ import annotations

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.extension import find_page, load
from steelyard.report.answer.words import Finding
from steelyard.report.page.chart import Section


class AnswerPage(msgspec.Struct, frozen=True):
    """What a part of the page says.

    Attributes
    ----------
    name : str
        Its heading, among several.
    findings : tuple of Finding
        The answer, the first of them large.
    state : str
        What the answer rests on, in a line.
    sections : tuple of Section
        Everything below the answer.
    treatments : tuple of str
        Labels of those by which it can be filtered.
    omitted : str
        Findings that are left out, as a sentence.
    ending : str
        The heading of the last section.
    advice : str
        A sentence above the commands of the last section.
    commands : str
        A command a line; empty where a part has no last section.
    """

    name: str
    findings: tuple[Finding, ...]
    state: str
    sections: tuple[Section, ...] = ()
    treatments: tuple[str, ...] = ()
    omitted: str = ""
    ending: str = ""
    advice: str = ""
    commands: str = ""


def make_answer_page(answer: msgspec.Struct) -> AnswerPage:
    """Lay out an answer by the page that an extension has for its type.

    Raises
    ------
    UsageError
        No extension has one.
    """
    place = find_page(type(answer))
    if place is None:
        raise UsageError(
            f"no extension has a page for an answer of type {type(answer).__name__}",
            hint="an extension names one in pages",
        )
    page: AnswerPage = load(place)(answer)
    return page
