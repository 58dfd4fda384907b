"""Figures of studies: made from checked-in data, small, and shown by their READMEs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from scripts_of_studies import load_script

STUDIES = Path(__file__).parents[2] / "studies"


@pytest.fixture(scope="module")
def drawing():
    sys.path.insert(0, str(STUDIES))
    yield load_script("drawing_of_studies", STUDIES / "figures.py")
    sys.path.remove(str(STUDIES))


OURS = sorted(
    file.parent.name for file in STUDIES.glob("*/figures.py") if file.parent.name != "have-it-right"
)


@pytest.mark.parametrize("study", OURS)
def test_every_figure_is_checked_in_below_100_kb_and_shown_by_the_readme(drawing, study, text_of):
    readme = text_of(STUDIES / study)
    names = [chart.name for chart in drawing.charts_of(study)]
    assert names
    for name in names:
        file = STUDIES / study / f"{name}.svg"
        assert file.read_text().startswith("<svg"), file
        assert file.stat().st_size < drawing.MOST_BYTES, file
        assert f"]({name}.svg)" in readme, file
    assert {file.stem for file in (STUDIES / study).glob("*.svg")} == {*names}


@pytest.mark.parametrize("study", OURS)
def test_every_figure_has_rows_and_every_row_a_number(drawing, study):
    for chart in drawing.charts_of(study):
        for rows in chart.data.values():
            assert rows, chart.name
            for row in rows:
                numbers = [row[key] for key in ("x", "y", "value") if key in row]
                assert all(isinstance(number, int | float) for number in numbers), (chart.name, row)
