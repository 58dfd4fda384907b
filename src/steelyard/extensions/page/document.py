"""The page as one file: charts are drawn in it, nothing is fetched, and no script but its own runs.

Charts are there twice, for wide and for narrow windows, since no script is needed to choose between them:
the style sheet does, and where none is allowed the wide one shows.
"""

from __future__ import annotations

import base64
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

from steelyard import __version__
from steelyard.extensions.page.columns import RunColumns
from steelyard.extensions.page.contents import PageContents, Shown
from steelyard.extensions.page.drawing.frame import Look
from steelyard.extensions.page.drawing.picture import Hints, draw_picture
from steelyard.extensions.page.html_table import format_html_table
from steelyard.extensions.page.sections import claims, headline, name_treatments, sections, state
from steelyard.report.answer.words import Finding
from steelyard.report.page.answer_page import AnswerPage, make_answer_page
from steelyard.report.page.chart import COLOURS, DARK, FONT, LIGHT, Chart, Section
from steelyard.report.text.label import printable

WIDE: Final = Look(760, 12, FONT, COLOURS)
"""What charts look like in a window of at least 760 pixels; the style sheet knows where that is."""
NARROW: Final = Look(400, 12, FONT, COLOURS)


def render(every: Sequence[Shown], title: str = "") -> str:
    """Return the page of one record, set of models or other answer, or of several one below the other."""
    several = len(every) > 1
    parts = [_make_part(contents, number, several=several) for number, contents in enumerate(every, 1)]
    named = title or (parts[0].name if len(parts) == 1 else "Several records")
    page = {"records": [part.data() for part in parts]}
    script = _format_file("page.js")
    style = _format_colours() + _format_file("page.css")
    policy = (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"script-src {_hash(script)}; style-src {_hash(style)}"
    )
    links = "".join(f'<li><a href="#{place}">{escape(text)}</a></li>' for place, text in _get_places(parts))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta name="generator" content="Steelyard {__version__}">\n'
        f"<title>{escape(named)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#main">Skip to the answer</a>\n'
        f'<header><h1>{escape(named)}</h1><nav aria-label="Sections"><ul>{links}</ul></nav></header>\n'
        '<div class="filter" role="status" aria-live="polite" hidden><span></span> '
        '<button type="button">Show all treatments</button></div>\n'
        f'<main id="main">{"".join(part.html() for part in parts)}</main>\n'
        f"<footer>Steelyard {__version__}</footer>\n"
        '<div id="tip" hidden></div>\n'
        f'<script type="application/json" id="page-data">{_format_json(page)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _make_part(contents: Shown, number: int, *, several: bool) -> _Part:
    if isinstance(contents, PageContents):
        return _Record(contents, number, several=several)
    return _Other(make_answer_page(contents), number, several=several)


def _get_places(parts: Sequence[_Part]) -> list[tuple[str, str]]:
    """Where a page can be entered: its sections, or its records."""
    if len(parts) > 1:
        return [(part.place("answer"), part.name) for part in parts]
    (part,) = parts
    named = ((part.place(section.name), section.title) for section in part.sections)
    return [*named, *([(part.place("repeat"), part.ending)] if part.render_repetition() else [])]


class _Part(ABC):
    """One record or other answer of a page.

    Attributes
    ----------
    treatments : tuple of str
        Labels of those by which the part can be filtered.
    runs : RunColumns or None
        Every run, where charts draw them.
    ending : str
        The heading of its last section.
    """

    ending = "How to repeat it"

    def __init__(
        self,
        name: str,
        number: int,
        parts: Sequence[Section],
        treatments: Sequence[str],
        runs: RunColumns | None = None,
        *,
        several: bool,
    ) -> None:
        self.name, self.number, self.sections, self.several = name, number, parts, several
        self.treatments, self.runs = tuple(treatments), runs
        self.numbers = {label: i for i, label in enumerate(treatments)}
        self.level = 3 if several else 2

    @abstractmethod
    def answer(self) -> str:
        """Return the first thing that is read."""

    def render_repetition(self) -> str:
        """Return the last section; empty where a part has none."""
        return ""

    def place(self, name: str) -> str:
        """Return the name of a place in the page."""
        return f"r{self.number}-{name}"

    def data(self) -> Mapping[str, Any]:
        """Return what the script says of runs, every value once."""
        runs = None if self.runs is None else self.runs.pack()
        texts = [printable(label) for label in self.treatments]
        return {"treatments": self.treatments, "shown": texts, "runs": runs}

    def html(self) -> str:
        """Return the answer, then every section, and how to repeat it."""
        ending = self.render_repetition()
        last = f'<section id="{self.place("repeat")}">{self._render_heading(self.ending)}{ending}</section>'
        parts = [
            self.answer(),
            *(self._render_section(section) for section in self.sections),
            last if ending else "",
        ]
        inside = "".join(parts)
        label = f' aria-label="{escape(self.name)}"' if self.several else ""
        return f'<article data-record="{self.number - 1}"{label}>{inside}</article>'

    def _render_heading(self, text: str, deeper: int = 0) -> str:
        level = self.level + deeper
        return f"<h{level}>{escape(text)}</h{level}>"

    def _render_answer(
        self, findings: Sequence[Finding], omitted: str, judged: Sequence[Finding], state: str
    ) -> str:
        """Return the first finding large, the others below it, then claims and the state of it all."""
        first, *rest = [_format_finding(finding) for finding in findings] or ["<p>Nothing was compared.</p>"]
        text = f"<ul class=findings>{''.join(f'<li>{line}</li>' for line in rest)}</ul>" if rest else ""
        remainder = f"<p>{escape(omitted)}</p>" if omitted else ""
        claimed = "".join(f"<li>{_format_finding(finding)}</li>" for finding in judged)
        held = f"{self._render_heading('Claims')}<ul class=findings>{claimed}</ul>" if claimed else ""
        name = f"<h2>{escape(self.name)}</h2>" if self.several else ""
        return (
            f'<section id="{self.place("answer")}" class="answer">{name}<div class="lead">{first}</div>'
            f'{text}{remainder}{held}<p class="dim">{escape(state)}</p></section>'
        )

    def _render_section(self, section: Section) -> str:
        place = self.place(section.name)
        parts = [self._render_heading(section.title)]
        if len(section.sentences) > 1:
            parts.append(f"<ul class=notes>{_format_items(section.sentences)}</ul>")
        else:
            parts += [f"<p>{escape(text)}</p>" for text in section.sentences]
        parts += [self._render_figure(chart) for chart in section.charts]
        parts += [
            format_html_table(title, columns, rows, self.numbers)
            for title, columns, rows in section.tables
            if columns
        ]
        if section.notes:
            parts.append(f"<ul class=notes>{_format_items(section.notes)}</ul>")
        return f'<section id="{place}">{"".join(parts)}</section>'

    def _render_figure(self, chart: Chart) -> str:
        place = self.place(chart.name)
        table = (
            format_html_table(chart.title, chart.columns, chart.rows_of, self.numbers, below=True)
            if chart.columns
            else ""
        )
        drawn = (
            f'<p class="empty">{escape(chart.empty)}</p>'
            if chart.empty
            else f'<div class="chart" id="{place}">{self._draw(chart)}</div>'
        )
        about = "" if chart.empty else f"<p>{escape(chart.about)}</p>"
        caption = f"<figcaption>{self._render_heading(chart.title, 1)}{about}</figcaption>"
        return f"<figure>{caption}{drawn}{table}</figure>"

    def _draw(self, chart: Chart) -> str:
        """Draw the chart for wide and narrow windows."""
        about = f"{chart.about}{' The table below says the same.' if chart.columns else ''}"
        pictures = (
            draw_picture(
                chart.spec,
                chart.data,
                look,
                Hints(
                    name=f"{self.place(chart.name)}-{name}",
                    title=f"{chart.title}.",
                    about=about,
                    root={"class": name, "width": "100%", "display": display},
                    texts=name == "wide",
                    treatments=self.numbers,
                    live="runs",
                ),
            )
            for name, look, display in (("wide", WIDE, None), ("narrow", NARROW, "none"))
        )
        return "".join(pictures)

    def render_copy(self, name: str, text: str) -> str:
        """Text with a button that copies it."""
        place = self.place(name)
        lines = "\n".join(printable(line) for line in text.splitlines())
        return (
            f'<div class="copied"><button type="button" class="copy" hidden data-copies="{place}">'
            f'Copy the {name}</button><pre id="{place}" tabindex="0" role="region"'
            f' aria-label="The {name}">{escape(lines)}</pre></div>'
        )


class _Record(_Part):
    """One record of a page."""

    def __init__(self, contents: PageContents, number: int, *, several: bool) -> None:
        self.contents = contents
        runs = RunColumns(contents.portrait, name_treatments(contents))
        super().__init__(
            printable(contents.portrait.status.experiment),
            number,
            sections(contents, runs),
            [treatment.label for treatment in contents.portrait.treatments],
            runs,
            several=several,
        )

    def answer(self) -> str:
        """Return the findings of the terminal, the claims, and how far the record is."""
        findings, omitted = headline(self.contents)
        text = f"{state(self.contents)}; {self.contents.portrait.created}"
        return self._render_answer(findings, omitted, claims(self.contents), text)

    def render_repetition(self) -> str:
        """Return the spec, and the commands."""
        file = f"{_format_file_name(self.name)}.toml"
        commands = "\n".join(
            (
                f"steelyard run {file}",
                f"steelyard analyze {file}",
                f"steelyard report {file} -o {file[:-5]}.html",
            )
        )
        return (
            f"<p>Save this spec as <code>{escape(file)}</code> in <code>"
            f"{escape(printable(self.contents.portrait.status.record))}/..</code> or beside the files that it"
            f" names, then run the commands.</p>{self.render_copy('spec', self.contents.portrait.spec)}"
            f"{self.render_copy('commands', commands)}"
        )


class _Other(_Part):
    """The answer of an extension, as that lays it out."""

    def __init__(self, page: AnswerPage, number: int, *, several: bool) -> None:
        self.page, self.ending = page, page.ending
        super().__init__(page.name, number, page.sections, page.treatments, several=several)

    def answer(self) -> str:
        """Return its findings, and what they rest on."""
        return self._render_answer(self.page.findings, self.page.omitted, (), self.page.state)

    def render_repetition(self) -> str:
        """Return the commands that follow from it."""
        if not self.page.commands:
            return ""
        return f"<p>{escape(self.page.advice)}</p>{self.render_copy('commands', self.page.commands)}"


def _format_items(texts: Sequence[str]) -> str:
    return "".join(f"<li>{escape(text)}</li>" for text in texts)


def _format_finding(finding: Finding) -> str:
    evidence = f' <span class="evidence">{escape(finding.evidence)}</span>' if finding.evidence else ""
    return f'<p class="{finding.style or "plain"}"><strong>{escape(finding.claim)}</strong>{evidence}</p>'


def _format_file_name(name: str) -> str:
    text = "".join(char if char.isascii() and (char.isalnum() or char in "-_") else "-" for char in name)
    return text.strip("-")[:60] or "experiment"


def _format_colours() -> str:
    def write_rules(palette: Mapping[str, str]) -> str:
        return "".join(f"--{name}:{value};" for name, value in palette.items())

    # Charts have their colours as attributes, which show where no style sheet is allowed.
    names = {color: name for name, color in LIGHT.items()}
    charts = "".join(
        f'.chart [{channel}="{color}"]{{{channel}:var(--{name})}}'
        for color, name in names.items()
        for channel in ("fill", "stroke")
    )
    return (
        f":root{{{write_rules(LIGHT)}}}@media screen and (prefers-color-scheme:dark)"
        f"{{:root{{{write_rules(DARK)}}}}}\n{charts}\n"
    )


def _format_file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _format_json(value: object) -> str:
    """JSON that ends no element of HTML, whatever a label holds."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
