"""The session of the gate: its repository has two commits that differ in one line. No benchmark runs here."""

from __future__ import annotations

import subprocess

from documentation.gate_session import AFTER, BEFORE, COMMAND, make_repository
from documentation.terminal_picture import ROOT, read_session


def ask_git(directory, *words):
    return subprocess.run(["git", *words], cwd=directory, capture_output=True, text=True, check=True).stdout


def test_head_differs_from_main_in_the_line_that_makes_it_slower(tmp_path):
    make_repository(tmp_path)
    assert ask_git(tmp_path, "status", "--porcelain") == ""
    diff = ask_git(tmp_path, "diff", "--unified=0", "main", "change").splitlines()
    changed = [line for line in diff if line.startswith(("+ ", "- "))]
    assert [line[1:].strip() for line in changed] == [BEFORE, AFTER]


def test_the_page_shows_the_command_that_the_script_runs():
    command, _ = read_session((ROOT / "docs/gate.md").read_text(encoding="utf-8"), "steelyard gate")
    assert command == " ".join(COMMAND)
