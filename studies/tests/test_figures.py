"""Figures of studies: made from checked-in data, small, and shown by their READMEs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

STUDIES = Path(__file__).parents[2] / "studies"


@pytest.fixture(scope="module")
def drawing():
    sys.path.insert(0, str(STUDIES))
    spec = importlib.util.spec_from_file_location("drawing_of_studies", STUDIES / "figures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(STUDIES))


OURS = (
    "execution-time-variability",
    "grappa",
    "mafia",
    "mpi-collectives",
    "parallel-sorting",
    "scalability-validation",
    "timing-procedures",
)


@pytest.mark.parametrize("study", OURS)
def test_every_figure_is_checked_in_below_100_kb_and_shown_by_the_readme(drawing, study):
    readme = (STUDIES / study / "README.md").read_text()
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
                assert all(isinstance(each, int | float) for each in numbers), (chart.name, row)


def test_a_table_of_a_readme_is_read_by_its_heading_and_place(drawing, tmp_path):
    from charts import table, value

    (tmp_path / "README.md").write_text(
        "# A\n\n| x |\n|---|\n| 0 |\n\n## (b) Things\n\n| k | n |\n| --- | --- |\n| 3 | 1,200 µs |\n\ntext\n"
        "\n| a |\n|---|\n| 1.5e+04 |\n"
    )
    assert table(tmp_path, "(b) Thi") == [{"k": "3", "n": "1,200 µs"}]
    assert table(tmp_path, "(b)", 2) == [{"a": "1.5e+04"}]
    assert (value("1,200 µs"), value("1.5e+04"), value("–")) == (1200.0, 15000.0, None)
    with pytest.raises(LookupError, match="2 tables"):
        table(tmp_path, "(b)", 3)
    with pytest.raises(LookupError, match="no heading"):
        table(tmp_path, "(c)")
