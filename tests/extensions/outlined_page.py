"""What stands on a page: its outline, its charts, and the data that it carries."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

from steelyard.extensions.page.sections import sections_of
from steelyard.report.page.chart import Chart

WORDS = ("title", "about")
"""Of each picture, for readers who do not see it."""
VOID = {"meta", "br", "hr", "img", "input", "link"}


class Outline(HTMLParser):
    """Elements, identifiers, headings and text; fails where elements do not nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.places: list[str | None] = []
        self.headings: list[tuple[int, str]] = []
        self.links: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        result = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in result:
            self.places.append(result["id"])
        if tag == "a":
            self.links.append(result["href"] or "")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append((int(tag[1]), ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, text: str) -> None:
        if self.open and re.fullmatch("h[1-6]", self.open[-1]):
            level, so_far = self.headings[-1]
            self.headings[-1] = (level, so_far + text)
        if "script" not in self.open and "style" not in self.open:
            self.text.append(text)


def outlined(page: str) -> Outline:
    outline = Outline()
    outline.feed(page)
    outline.close()
    assert outline.open == []
    return outline


def charts_of(shown: Any) -> dict[str, Chart]:
    return {chart.name: chart for section in sections_of(shown) for chart in section.charts}


def data_of(page: str) -> Any:
    match = re.search(r'id="page-data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    return json.loads(match.group(1))
