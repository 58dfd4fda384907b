"""A gate as a page: the text of the terminal, in one file without anything from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Final

from steelyard.extensions.gate.results import Gate
from steelyard.extensions.gate.text import list_lines
from steelyard.extensions.gate.words import write_headline
from steelyard.report.text.line import html

_WIDTH: Final = 120
_STYLE: Final = "body { font-family: sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em }"


def render(answer: Gate, *, strict: bool) -> str:
    """Return the document."""
    lines = list_lines(answer, _WIDTH, strict=strict)
    return _write_page(write_headline(answer, strict=strict), html(lines))


def render_error(message: str, hint: str | None) -> str:
    """Return a gate that could judge nothing."""
    text = f"{message}\n\n{hint}" if hint else message
    return _write_page("The gate could not judge this change", f"<pre>{escape(text)}</pre>")


def _write_page(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n{body}\n</html>\n"
    )
