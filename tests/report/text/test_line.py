from __future__ import annotations

import io

import pytest

from steelyard.report.text.line import Span, in_colour, plain, write

LINES = [(Span("good", "good"), Span("  "), Span("plain")), (), (Span("[bold]not markup[/bold]   "),)]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def _a_capable_terminal(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def written(stream, **options):
    write(LINES, stream, **options)
    return stream.getvalue()


def test_where_there_is_no_terminal_there_is_no_colour():
    assert written(io.StringIO()) == plain(LINES) == "good  plain\n\n[bold]not markup[/bold]\n"


def test_a_terminal_gets_colours_and_the_same_words():
    text = written(Terminal())
    assert "\x1b[32m\x1b[1mgood\x1b[0m" in text
    assert "[bold]not markup[/bold]" in text


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_user_who_wants_no_colour_gets_none(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert not in_colour(Terminal())
    assert written(Terminal()) == plain(LINES)


def test_an_empty_no_color_means_nothing(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "")
    assert in_colour(Terminal())


def test_what_the_caller_says_goes_before_what_the_stream_is():
    assert "\x1b[" in written(io.StringIO(), colour=True)
    assert "\x1b[" not in written(Terminal(), colour=False)


def test_a_long_line_is_left_to_the_terminal_to_break():
    stream = io.StringIO()
    write([(Span("word " * 100),)], stream, colour=True)
    assert stream.getvalue().count("\n") == 1
