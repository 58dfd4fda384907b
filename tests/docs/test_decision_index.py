"""Records of decisions: each has a head, and is where its area says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from documentation import decision_index
from documentation.markdown import GeneratedBlockError

ROOT = Path(__file__).parents[2]
RECORDS = sorted(
    path
    for house in ("docs", "workloads", "studies")
    for path in (ROOT / house / "decisions").rglob("[0-9]*.md")
)


def test_every_record_has_a_head_and_at_most_40_lines_below():
    assert len(RECORDS) > 140
    for path in RECORDS:
        decision_index.read_decision(path)
        assert len(path.read_text(encoding="utf-8").splitlines()[4:]) <= 40, path


def test_no_number_is_given_twice():
    numbers = [path.name[:3] for path in RECORDS]
    assert len(numbers) == len({*numbers})


def test_a_record_of_the_laboratory_lies_in_the_folder_of_its_area():
    for path in RECORDS:
        if path.is_relative_to(ROOT / "docs"):
            assert path.parent.name == decision_index.read_decision(path).area, path


def test_what_supersedes_a_record_exists():
    numbers = {path.name[:3] for path in RECORDS}
    for path in RECORDS:
        status = decision_index.read_decision(path).status
        assert status == "in force" or status.split()[2] in numbers, path


def test_a_record_that_another_supersedes_says_so():
    by_number = {path.name[:3]: path for path in RECORDS}
    for path in RECORDS:
        head = path.read_text(encoding="utf-8").splitlines()[3]
        named = re.match(r"Supersedes[\d, and]+", head)
        for number in re.findall(r"\d{3}", named[0]) if named else ():
            status = decision_index.read_decision(by_number[number]).status
            assert status.startswith("superseded"), f"{number} does not say that {path.name} supersedes it"


@pytest.mark.parametrize(
    "text",
    ["", "# 300 · Title\n\nno date\n", "# Title\n\n2026-11-25 · house · in force\n", "# 301 · Title\n\n"],
)
def test_a_record_without_a_head_is_refused(tmp_path, text):
    path = tmp_path / "300-title.md"
    path.write_text(text)
    with pytest.raises(GeneratedBlockError, match=r"300-title\.md: expected"):
        decision_index.read_decision(path)


def test_superseded_records_are_folded_and_those_superseded_in_part_are_not(tmp_path, monkeypatch):
    folder = tmp_path / "docs" / "decisions"
    for number, status in (
        ("300", "in force"),
        ("301", "superseded by 300"),
        ("302", "superseded by 300 in part"),
    ):
        path = folder / "house" / f"{number}-title.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {number} · Title\n\n2026-11-25 · house · {status}\n")
    monkeypatch.setattr(decision_index, "ROOT", tmp_path)
    output, folded = decision_index.index("docs").split("<details>")
    assert "[300](house/300-title.md) Title (2026-11-25)" in output
    assert "[302](house/302-title.md) Title (2026-11-25, superseded by 300 in part)" in output
    assert "301" in folded
    assert "Superseded: 1" in folded
