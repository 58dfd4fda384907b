"""Tables of READMEs are those that are kept; a table is written and read by its heading and place."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import readme_tables  # noqa: E402

README = (
    "# A\n\n| x |\n|---|\n| 0 |\n\n## (b) Things\n\n| k | n |\n| --- | --- |\n| 3 | 1,200 µs |\n\ntext\n"
    "\n| a |\n|---|\n| 1.5e+04 |\n\n## (b) Things, continued\n\n| k |\n|---|\n| 9 |\n"
)


@pytest.fixture
def study(tmp_path):
    (tmp_path / "README.md").write_text(README)
    readme_tables.keep(tmp_path, ["(b)"])
    return tmp_path


@pytest.mark.parametrize("study_of", sorted(file.parent for file in STUDIES.glob("*/tables.csv")))
def test_every_readme_has_the_tables_that_its_study_keeps(study_of, text_of):
    assert readme_tables.renew(study_of) == text_of(study_of), (
        f"run python studies/readme_tables.py {study_of.name}"
    )


def test_a_kept_table_is_read_by_its_heading_and_place(study):
    assert readme_tables.rows_of(study, "(b) Thi") == [{"k": "3", "n": "1,200 µs"}]
    assert readme_tables.rows_of(study, "(b)", 2) == [{"a": "1.5e+04"}]
    assert readme_tables.rows_of(study, "(b) Things, continued") == [{"k": "9"}]
    with pytest.raises(LookupError, match="no table 3 below"):
        readme_tables.rows_of(study, "(b)", 3)


def test_a_table_that_was_edited_in_the_readme_is_written_again_and_others_stay(study):
    readme = study / "README.md"
    readme.write_text(README.replace("1,200", "1,300").replace("| 0 |", "| 7 |"))
    renewed = readme_tables.renew(study)
    assert "| 3 | 1,200 µs |" in renewed
    assert "| 7 |" in renewed
    assert renewed.count("| 9 |") == 1


def test_a_readme_without_a_kept_table_is_an_error(study):
    (study / "README.md").write_text("# A\n")
    with pytest.raises(LookupError, match=r"README\.md has no table 1 below"):
        readme_tables.renew(study)


def test_two_columns_of_one_name_are_an_error():
    with pytest.raises(LookupError, match="line 1: columns need names of their own"):
        list(readme_tables.read_tables("| a | a |\n|---|---|\n| 1 | 2 |\n"))
