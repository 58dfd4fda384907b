"""Tables and figures as files."""

from __future__ import annotations

import csv
import io
import re

import pytest
from answers.made import make, noisy
from answers.pages import (
    HOSTILE,
    hostile,
    in_contexts,
    many_runs,
    page_of,
    two_treatments,
    weak_scaling,
    with_instances,
)

from steelyard.core.series import Point, Series
from steelyard.extensions.page.figures import COLUMN_PX, charts, draw_figure, write_figures
from steelyard.extensions.page.tables import format_csv_table, markdown_table, write_tables
from steelyard.report.page.latex import format_latex_text
from steelyard.report.text.line import Span
from steelyard.report.text.table import Column

COLUMNS = (
    Column("a_name", [Span("x|y & 50 %"), Span("=1+2")], right=False),
    Column("mean ms", [Span("1.25"), Span("-0.50")]),
)


def test_markdown_escapes_what_it_would_obey():
    assert markdown_table(COLUMNS) == (
        "| a\\_name | mean ms |\n|---|---:|\n| x\\|y & 50 % | 1.25 |\n| =1+2 | -0.50 |\n"
    )


def test_latex_obeys_nothing_of_a_name():
    text = format_latex_text("\\input{/etc/passwd} $x_1^2$ {~#%&}")
    for sign in "$#%&_":
        assert f"\\{sign}" in text
    assert text.startswith(r"\textbackslash{}input\{")


def test_a_spreadsheet_takes_no_cell_for_a_formula():
    rows = list(csv.reader(io.StringIO(format_csv_table(COLUMNS))))
    assert rows == [["a_name", "mean ms"], ["x|y & 50 %", "1.25"], ["'=1+2", "-0.50"]]


def test_every_table_is_written_three_times(tmp_path):
    files = write_tables([two_treatments()], tmp_path)
    assert {file.name for file in files} >= {"effects.md", "effects.tex", "effects.csv", "distribution.csv"}
    assert all(file.read_text() for file in files)


def a_history():
    from answers.histories import two_machines

    return two_machines()


@pytest.mark.parametrize(
    "make_page",
    [
        *(two_treatments, in_contexts, hostile, with_instances, weak_scaling),
        pytest.param(a_history, marks=pytest.mark.extensions("history")),
    ],
    ids=lambda value: value.__name__,
)
def test_every_chart_is_drawn_as_svg_png_and_pdf(tmp_path, make_page):
    files = write_figures([make_page()], tmp_path)
    assert {file.suffix for file in files} == {".svg", ".png", ".pdf"}
    heads = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    for file in files:
        content = file.read_bytes()
        assert content.startswith(heads[file.suffix]), file
        if file.suffix == ".svg":
            assert len(content) < 100_000, file
            assert b"var(" not in content
            assert HOSTILE.encode() not in content
            assert f'width="{COLUMN_PX}"'.encode() in content, file


@pytest.mark.extensions("growth")
def test_a_figure_of_growth_names_the_function_and_the_model():
    from steelyard.extensions.growth.curves import model_curves
    from steelyard.extensions.growth.results import Curve, PageModels
    from steelyard.extensions.growth.scaling import Question, model_all

    points = tuple(Point((float(p),), (3 * p, 3.01 * p, 2.99 * p), n=3) for p in (1, 2, 4, 8, 16, 32))
    series = Series("solve", "wall_s", "s", ("p",), points)
    question = Question()
    (curve,) = model_curves([series], model_all([series], question), question, 12)
    ((_, chart),) = charts([PageModels("made.csv", (Curve(*curve),))])
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", draw_figure(chart))
    assert " ".join(texts).startswith(f"solve: {curve[1].growth()}")
    assert "p" in curve[1].growth()


def test_a_figure_says_once_what_all_labels_share():
    names = [f"command=ep, opt=O2, n={n}" for n in (1, 2, 3)]
    samples = [make(noisy(i, at=1e-3 * i), i, name) for i, name in enumerate(names, 1)]
    figure = next(chart for name, chart in charts([page_of(samples)]) if name == "distribution")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", draw_figure(figure))
    assert texts[0] == "All: command=ep, opt=O2"
    assert {"n=1", "n=2", "n=3"} <= {*texts}
    assert sum("opt=O2" in text for text in texts) == 1


def test_a_figure_of_many_runs_stays_small(tmp_path):
    files = write_figures([page_of(many_runs(6, 400))], tmp_path)
    assert max(file.stat().st_size for file in files if file.suffix == ".svg") < 100_000


def test_names_of_files_are_those_of_charts_and_of_records_where_there_are_several():
    assert [name for name, _ in charts([two_treatments()])] == ["effects", "distribution", "course"]
    assert [name for name, _ in charts([two_treatments()] * 2)][::3] == ["1-effects", "2-effects"]
