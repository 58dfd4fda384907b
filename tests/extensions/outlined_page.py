"""What stands on a page: its outline, its charts, and the data that it carries."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

from steelyard.extensions.page.sections import sections_of

WORDS = ("title", "about")
"""Of each picture, for readers who do not see it."""
VOID = {"meta", "br", "hr", "img", "input", "link"}


class Outline(HTMLParser):
    """Elements, identifiers, headings and text; fails where elements do not nest."""

    def __init__(self):
        super().__init__()
        self.open, self.places, self.headings, self.links, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        result = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in result:
            self.places.append(result["id"])
        if tag == "a":
            self.links.append(result["href"])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append((int(tag[1]), ""))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open and re.fullmatch("h[1-6]", self.open[-1]):
            level, so_far = self.headings[-1]
            self.headings[-1] = (level, so_far + text)
        if "script" not in self.open and "style" not in self.open:
            self.text.append(text)


def outlined(page):
    outline = Outline()
    outline.feed(page)
    outline.close()
    assert outline.open == []
    return outline


def charts_of(shown):
    return {chart.name: chart for section in sections_of(shown) for chart in section.charts}


def data_of(page):
    return json.loads(re.search(r'id="page-data">(.*?)</script>', page, re.DOTALL).group(1))
