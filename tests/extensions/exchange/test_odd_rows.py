"""A run of another configuration is refused by the name of the column that tells it."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.core.series import CsvColumns
from steelyard.extensions.exchange.csv_columns import read

NODES = CsvColumns("t", ("nodes",))


def table(header, rows):
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


def weak(odd=None):
    rows = [(n, 100 + n + r, 1000 * n) for n in (1, 2, 4, 8, 16) for r in range(3)]
    if odd is not None:
        rows[10] = odd
    return table("nodes,t,particles", rows)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (weak((8, 41, 52)), "line 12: particles is 52, and 8000 in other rows of the same point"),
        (
            table("nodes,t,size", [(n, 100 / n, 500 if n == 4 else 1000) for n in (1, 2, 4, 8)]),
            "line 4: size is 500, and 1000 at all other points",
        ),
        (
            table("nodes,t,cells", [(n, 9, 64 if n == 8 else 100 * n) for n in (1, 2, 4, 8, 16)]),
            "line 5: cells is 64, and 100 times the parameter at all other points",
        ),
    ],
    ids=["within", "constant", "multiple"],
)
def test_a_row_of_another_size_is_refused_by_column_value_and_line(text, words):
    with pytest.raises(UsageError) as caught:
        read(text, "runs.csv", NODES)
    assert words in caught.value.message
    column = words.split(": ")[1].split(" is ")[0]
    assert f"--pool {column}" in caught.value.hint


def test_the_column_is_taken_for_one_where_pool_says_so():
    text = weak((8, 41, 52))
    (series,) = read(text, "runs.csv", CsvColumns("t", ("nodes",), pool=("particles",)))
    assert len(series.points[3].values) == 3


@pytest.mark.parametrize(
    "text",
    [
        weak(),
        # Repetitions, numbered, of which one point has more; noise; a product of what varies.
        table("nodes,t,rep", [(1, 1, 1), (2, 2, 1), (4, 4, 1), (8, 8, 1), (8, 8.1, 2), (8, 8.2, 3)]),
        table("nodes,t,bytes", [(n, n, 1000 + 7 * n + r) for n in (1, 2, 4, 8) for r in range(3)]),
        table("nodes,t,edges", [(n, n, n * (n - 1)) for n in (2, 4, 8, 16)]),
        table("nodes,t,size", [(1, 1, 10), (2, 2, 10), (4, 4, 20)]),
    ],
    ids=["weak", "rep", "noise", "quadratic", "few"],
)
def test_columns_that_vary_by_themselves_are_not_refused(text):
    (series,) = read(text, "runs.csv", NODES)
    assert len(series.points) >= 3


JOBS = table(
    "nodes,t,job",
    [(n, 10 * n + job + r, 100 * n + job) for n in (1, 2, 4) for job in (0, 5) for r in (0.0, 0.5, 1.0)],
)


@pytest.mark.parametrize("columns", [NODES, CsvColumns("t", ("nodes",), unit="job")], ids=["named", "unit"])
def test_rows_of_one_job_are_one_value(columns):
    (series,) = read(JOBS, "runs.csv", columns)
    assert [point.values for point in series.points] == [(10.5, 15.5), (20.5, 25.5), (40.5, 45.5)]
    assert series.unit == ""


def test_a_row_whose_status_says_that_it_failed_is_no_value():
    rows = [(n, 64 / n, "CRASHED" if n == 8 else "COMPLETED") for n in (1, 2, 4, 8, 8)]
    (series,) = read(table("nodes,t,State", rows), "runs.csv", NODES)
    assert series.lost == ("'CRASHED' at nodes = 8 (line 5)", "'CRASHED' at nodes = 8 (line 6)")
    assert series.lost_at == ((8.0,),)
    assert [point.at for point in series.points] == [(1.0,), (2.0,), (4.0,)]


def test_words_of_a_chosen_status_may_be_good_and_a_pooled_column_says_nothing():
    rows = [(n, 64 / n, "FAILED" if n == 8 else "done2") for n in (1, 2, 4, 8)]
    text = table("nodes,t,how", rows)
    (series,) = read(text, "runs.csv", CsvColumns("t", ("nodes",), status="how", ok=("done2",)))
    assert series.lost_at == ((8.0,),)
    (pooled,) = read(text.replace("how", "status"), "runs.csv", CsvColumns("t", ("nodes",), pool=("status",)))
    assert pooled.lost == ()
    with pytest.raises(UsageError, match="the how 'done2' is not known"):
        read(text, "runs.csv", CsvColumns("t", ("nodes",), status="how"))


def test_any_column_may_name_the_launch_and_pool_keeps_its_rows_apart():
    text = JOBS.replace("job", "weekday", 1)
    (series,) = read(text, "runs.csv", CsvColumns("t", ("nodes",), unit="weekday"))
    assert [len(point.values) for point in series.points] == [2, 2, 2]
    (pooled,) = read(JOBS, "runs.csv", CsvColumns("t", ("nodes",), pool=("job",)))
    assert [len(point.values) for point in pooled.points] == [6, 6, 6]


def test_a_unit_that_is_the_name_of_the_value_is_a_unit():
    (series,) = read(table("n,s", [(1, 2), (2, 3), (4, 5)]), "runs.csv", CsvColumns("s", ("n",), unit="s"))
    assert series.unit == "s"
