"""Tables of scripts: blanks between columns, a column a scale, per cent, tabs."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.core.series import CsvColumns
from steelyard.extensions.exchange.files import read_series

TIMES = {(64.0,): 50.27, (128.0,): 28.5, (256.0,): 15.64}
GNUPLOT = """\
# a code on some machine
#
# nodes      avg time      std-dev
#             step

  64         50.27    0.2
 128         28.5     0.16
 # 196       22.0     0.1
 256         15.64    0.07   # twice
"""


def points(series):
    return {point.at: point.values for point in series.points}


def read(tmp_path, text, columns, name="table.dat"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_series(path, columns)


@pytest.mark.parametrize("name", ["table.dat", "table.txt", "table"])
def test_blanks_separate_columns_and_a_comment_has_their_titles(tmp_path, name):
    (series,) = read(tmp_path, GNUPLOT, CsvColumns("avg time", ("nodes",)), name)
    assert points(series) == {at: (value,) for at, value in TIMES.items()}


def test_a_first_line_of_words_is_the_header(tmp_path):
    text = "PROC  AVG\n64 50.27\n128 28.5\n256 15.64\n"
    (series,) = read(tmp_path, text, CsvColumns("AVG", ("PROC",)))
    assert points(series) == {at: (value,) for at, value in TIMES.items()}
    assert read(tmp_path, text, None) == (series,)


def test_columns_without_titles_are_called_by_their_number(tmp_path):
    (series,) = read(tmp_path, "1 192.2 213.5\n2 95.8 117.5\n3 68.4 84.1\n", CsvColumns("3", ("1",)))
    assert points(series) == {(1.0,): (213.5,), (2.0,): (117.5,), (3.0,): (84.1,)}


def test_a_line_with_other_cells_is_refused_with_its_number(tmp_path):
    with pytest.raises(UsageError, match=r"table\.dat, line 2: 3 cells, but the first row has 2"):
        read(tmp_path, "1 2\n2 3 4\n", CsvColumns("2", ("1",)))


def test_prose_is_no_table(tmp_path):
    with pytest.raises(UsageError, match="in no format that is known here"):
        read(tmp_path, "The code ran on 64 nodes.\nIt took 50 s.\n", CsvColumns("2", ("1",)))


def test_tabs_separate_columns(tmp_path):
    text = "nodes\ttime, mean\n64\t50.27\n128\t28.5\n256\t15.64\n"
    (series,) = read(tmp_path, text, CsvColumns("time, mean", ("nodes",)), "table.tsv")
    assert points(series) == {at: (value,) for at, value in TIMES.items()}


@pytest.mark.parametrize("separator", [",", "\t", ";", "  "])
def test_a_column_a_scale_is_a_row_a_scale(tmp_path, separator):
    lines = [["run", "64", "128", "256"], ["fast", "50.27", "28.5", "15.64"], ["slow", "60", "40", "30"]]
    text = "\n".join(map(separator.join, lines)) + "\n"
    if separator == "  ":  # a line of words and numbers is a header by its mark alone
        text = "# " + text.replace("fast", "1").replace("slow", "2")
    fast, slow = read(tmp_path, text, CsvColumns("time", ("nodes",), ("run",)))
    assert points(fast) == {at: (value,) for at, value in TIMES.items()}
    assert points(slow) == {(64.0,): (60.0,), (128.0,): (40.0,), (256.0,): (30.0,)}
    assert (fast.metric, fast.parameters) == ("time", ("nodes",))


def test_rows_of_a_wide_table_that_no_column_of_by_tells_apart_are_refused(tmp_path):
    text = "run,64,128,256\n1,50.27,28.5,15.64\n2,60,40,30\n"
    with pytest.raises(UsageError, match="column 'run' tells 2 functions apart"):
        read(tmp_path, text.replace("\n1,", "\n10,").replace("\n2,", "\n30,"), CsvColumns("time", ("nodes",)))


def test_an_empty_cell_of_a_wide_table_is_no_row(tmp_path):
    (series,) = read(tmp_path, "run,64,128,256\na,50.27,,15.64\n", CsvColumns("time", ("nodes",), ("run",)))
    assert set(points(series)) == {(64.0,), (256.0,)}


def test_per_cent_is_a_unit(tmp_path):
    text = "nodes,efficiency\n1,100.0%\n2,99.7 %\n4,96.7%\n"
    (series,) = read(tmp_path, text, CsvColumns("efficiency", ("nodes",)))
    assert series.unit == "%"
    assert points(series) == {(1.0,): (100.0,), (2.0,): (99.7,), (4.0,): (96.7,)}


def test_scales_may_be_in_per_cent(tmp_path):
    (series,) = read(tmp_path, "share,fom\n7.1%,303\n28.6%,1174\n50.0%,1843\n", CsvColumns("fom", ("share",)))
    assert set(points(series)) == {(7.1,), (28.6,), (50.0,)}
    assert series.unit == ""


def test_a_column_with_and_without_signs_is_not_in_per_cent(tmp_path):
    (series,) = read(tmp_path, "n,e\n1,100%\n2,0.99\n4,0.97\n", CsvColumns("e", ("n",)))
    assert series.unit == ""
    assert series.lost == ("'100%' at n = 1 (line 2)",)
