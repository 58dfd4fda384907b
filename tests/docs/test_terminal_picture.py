"""The moving picture of a terminal shows every line, in order, and runs nothing."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from documentation.terminal_picture import PICTURE, ROOT, draw_terminal, read_session

NAMESPACE = "{http://www.w3.org/2000/svg}"


def texts(svg):
    return [
        row.text
        for row in ET.fromstring(svg).iter(f"{NAMESPACE}text")  # noqa: S314 -- ours
    ]


def test_the_command_and_each_line_are_texts_whatever_signs_they_have():
    assert texts(draw_terminal("a < b", ["<script>&", "second"])) == ["$ a < b", "<script>&", "second"]


def test_lines_appear_one_after_the_other_behind_the_command():
    svg = draw_terminal("run", ["one", "two", "three"])
    shares = [float(share) for share in re.findall(r"0%,([0-9.]+)%\{opacity:0\}", svg)]
    assert len(shares) == 3
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] < 100


def test_without_motion_nothing_is_hidden():
    style, motion = draw_terminal("run", ["one"]).split("@media (prefers-reduced-motion:no-preference)")
    assert "opacity" not in style
    assert "opacity:0" in motion


def test_the_picture_is_of_the_session_in_the_readme():
    command, output = read_session((ROOT / "README.md").read_text(encoding="utf-8"))
    assert "faster than" in output[0]
    assert PICTURE.read_text(encoding="utf-8") == draw_terminal(command, output)
