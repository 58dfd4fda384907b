"""Command lines for what an agent asks."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.agents.requests import Requests


@pytest.fixture
def requests(workplace):
    return Requests(workplace)


def test_commands_stay_words_behind_the_dashes(requests, workplace):
    words = requests.compare([["./a", "x y; rm z"], ["./a", "--json"]], 5, 0.02)
    assert words[:4] == ["compare", "--json", "--max-time", "5.000s"]
    assert words[-3:] == ["--", "./a 'x y; rm z'", "./a --json"]
    assert words[words.index("--margin") + 1] == "0.02"
    assert (workplace.root / ".steelyard/.gitignore").read_text() == "*\n"


def test_a_gate_has_its_revisions_before_and_its_harness_behind_them(requests):
    words = requests.gate("main", "HEAD", ["cargo", "bench"], ["cargo", "build"], "cargo", 60, None)
    assert words[-5:] == ["main", "HEAD", "--", "cargo", "bench"]
    assert "--build=cargo build" in words
    assert "--harness=cargo" in words


def test_a_ratchet_takes_a_note_on_one_line(requests):
    words = requests.ask_ratchet("try", [], [], "a\nb\0 " + "x" * 300)
    assert words[-1].startswith("--message=a b")
    assert len(words[-1]) <= 210
    assert requests.ask_ratchet("total", ["rm"], [], "") == ["ratchet", "total", "--json"]
    assert requests.ask_ratchet("try", ["./p"], [], "")[-2:] == ["--", "./p"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tools: tools.compare([["./a"]], 5, None), "1 commands"),
        (lambda tools: tools.compare([["./a"], ["./b"]], 1e9, None), "s of measurement"),
        (lambda tools: tools.compare([["./a"], ["./b"]], 5, 3.0), "a margin of 3.0"),
        (lambda tools: tools.gate("-x", "HEAD", ["./a"], [], None, 5, None), "is not a revision"),
        (lambda tools: tools.gate("x", "HEAD", ["./a"], ["make"], None, 5, None), "'make' is not a program"),
        (lambda tools: tools.explain("../x.lab"), "is outside of"),
        (lambda tools: tools.explain("nosuch.lab"), "is not a record"),
    ],
)
def test_what_cannot_be_asked_is_refused(requests, call, message):
    with pytest.raises(UsageError) as error:
        call(requests)
    assert message in error.value.message
