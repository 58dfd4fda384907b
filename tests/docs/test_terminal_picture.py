"""The moving picture of a terminal shows every line, in order, and runs nothing."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from documentation.terminal_picture import PICTURES, ROOT, SESSIONS, draw_terminal, read_session

NAMESPACE = "{http://www.w3.org/2000/svg}"


def texts(svg):
    return [
        row.text
        for row in ET.fromstring(svg).iter(f"{NAMESPACE}text")  # noqa: S314 -- ours
    ]


def test_the_command_and_each_line_are_texts_whatever_signs_they_have():
    assert texts(draw_terminal("a < b", ["<script>&", "second"])) == ["$ a < b", "<script>&", "second"]


def keyframes(svg):
    """Of each row, its states by their time in per cent."""
    rows = []
    for body in re.findall(r"@keyframes k\d+\{(.*?\})\}", svg):
        states = {}
        for times, state in re.findall(r"([\d.%,]+)\{([^}]*)\}", body):
            states |= {float(time.rstrip("%")): state for time in times.split(",")}
        rows.append(states)
    return rows


def test_the_picture_begins_and_ends_with_everything_drawn():
    rows = keyframes(draw_terminal("run", ["one", "two", "three"]))
    assert len(rows) == 4
    for states in rows:
        assert {states[0], states[100]} == {"clip-path:inset(0)"}
        assert len(set(states.values())) == 2


def test_lines_appear_one_after_the_other_behind_the_command():
    rows = keyframes(draw_terminal("run", ["one", "two", "three"]))
    cleared = [min(time for time, state in row.items() if "100%" in state) for row in rows]
    drawn = [min(time for time in row if time > cleared[0]) for row in rows]
    assert len(set(cleared)) == 1
    assert drawn == sorted(set(drawn))
    assert cleared[0] < drawn[0] < drawn[-1] <= 100


def test_without_motion_nothing_is_hidden():
    style, motion = draw_terminal("run", ["one"]).split("@media (prefers-reduced-motion:no-preference)")
    assert "clip-path" not in style
    assert "clip-path:inset(0 100% 0 0)" in motion


@pytest.mark.parametrize("name", SESSIONS)
def test_pictures_are_of_the_sessions_that_pages_show(name):
    page, command = SESSIONS[name]
    session = read_session((ROOT / page).read_text(encoding="utf-8"), command)
    assert len(session[1]) > 3
    assert (PICTURES / f"{name}.svg").read_text(encoding="utf-8") == draw_terminal(*session)


def test_commands_without_output_are_no_session():
    silent = "```console\n$ steelyard gate main\n$ steelyard gate next\n```\n"
    page = f"{silent}```console\n$ steelyard gate x\nfine\n```\n"
    assert read_session(page, "steelyard gate") == ("steelyard gate x", ["fine"])
    with pytest.raises(ValueError, match="no output"):
        read_session(page, "steelyard compare")
