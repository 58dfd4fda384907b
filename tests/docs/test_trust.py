"""The table of promises: each row says over what its rate is, and has a command that can be run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
HEAD = ["the line says", "rate over", "promised", "measured", "command"]
DRAWN = ("blocks", "builds", "layouts", "launches", "instances", "sessions", "machines", "records", "runs")
"""What a simulation draws anew; a rate is over one of them, or some."""
DRAWN_TOO = ("series", "audits")


def list_rows():
    lines = [line for line in TEXT.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


HEADER, *ROWS = list_rows()
COMMANDS = sorted({row[4].strip("`") for row in ROWS if row[4]})


def test_the_table_has_the_columns_that_a_promise_needs():
    assert HEADER == HEAD
    assert {len(row) for row in ROWS} == {len(HEAD)}
    assert len(ROWS) > 20


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:60])
def test_a_row_says_over_what_its_rate_is_and_what_was_measured(row):
    _, over, promised, measured, command = row
    assert any(word in over for word in (*DRAWN, *DRAWN_TOO)), over
    assert promised
    # A row without a figure promises nothing, and then there is nothing to run.
    assert bool(measured) == bool(command)
    assert command or promised.startswith("nothing")


def locate(words):
    """The script of a command, and its arguments."""
    if words[:2] == ["./dev", "bench"]:
        return f"benchmarks/{words[2]}/bench.py", words[3:]
    assert words[0] == "python", words
    return words[1], words[2:]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_names_a_script_that_takes_its_options(command):
    script, arguments = locate(shlex.split(command))
    # The choices of options before it are checked before --help is answered.
    words = [sys.executable, script, *arguments, "--help"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(word in done.stdout for word in arguments if word.startswith("--"))
