"""Sections that are written from data say what these do, and have a place in their README."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import written_sections  # noqa: E402


@pytest.mark.parametrize(
    "study", sorted(file.parent for file in STUDIES.glob("*/sections.py")), ids=lambda study: study.name
)
def test_the_sections_of_a_readme_are_as_its_data_are(study):
    done = subprocess.run([sys.executable, study / "sections.py", "--check"], check=False)
    assert done.returncode == 0, f"run python studies/{study.name}/sections.py"


def test_a_section_is_written_between_its_marks_and_nothing_else_is():
    begin, end = written_sections.BEGIN.format("sizes"), written_sections.END
    readme = f"before\n{begin}\nold\n{end}\nafter\n"
    assert written_sections.renew(readme, {"sizes": lambda: "new"}) == f"before\n{begin}\nnew\n{end}\nafter\n"


def test_a_section_without_a_place_is_an_error():
    with pytest.raises(LookupError, match="no place for 'sizes'"):
        written_sections.renew("nothing", {"sizes": lambda: "new"})
