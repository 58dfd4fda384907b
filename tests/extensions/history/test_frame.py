from answers.histories import CHANGE, FOUND, SERIES

from steelyard.extensions.history.frame import list_rows


def test_each_record_of_a_series_is_a_row_and_a_step_stands_at_its_first_record():
    table = list_rows(FOUND)
    assert [row["record"] for row in table] == [point.commit for point in SERIES.points]
    assert [row["median"] for row in table] == [point.median for point in SERIES.points]
    assert {row["record"]: row["change"] for row in table if row["change"] is not None} == {
        CHANGE.first: CHANGE.ratio
    }
