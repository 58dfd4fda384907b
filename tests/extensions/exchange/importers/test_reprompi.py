"""A file that ReproMPI wrote, and tables in its form with other times."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read

HEAD = (
    "#Command-Line Arguments: ./mpibenchmark --calls-list=MPI_Bcast\n#@reproMPIcommitSHA1=abc\n#@nprocs=4\n"
)
PLAIN = (
    HEAD
    + """\
                                              test       nrep        count    runtime_sec
                                         MPI_Bcast          0            8   0.0000051260
                                         MPI_Bcast          1            8   0.0000042600
                                         MPI_Bcast          0         1024   0.0000091000
                                         MPI_Bcast          1         1024   0.0000089000
"""
)
SUMMARY = (
    HEAD
    + """\
                         test        count total_nrep valid_nrep   mean_sec  median_sec
                    MPI_Bcast            8         10          9   0.0000051260   0.0000050000
"""
)
WINDOWS = (
    HEAD
    + """\
                                              test       nrep  msize_bytes  errorcode    runtime_sec
                                     MPI_Allreduce          0           64          0   0.0000051260
                                     MPI_Allreduce          1           64          3   0.0000942600
"""
)


def test_each_repetition_of_a_launch_is_a_value_of_its_size(written):
    result = read(written(PLAIN, "reprompi.txt"))
    assert (result.tool, result.repeats) == ("reprompi", "launch")
    small, large = result.series
    assert small.levels == {"op": "bcast", "p": 4, "count": 8}
    assert (small.metric, small.unit) == ("time_s", "s")
    assert small.values == ((5.126e-6, 4.26e-6),)
    assert large.levels["count"] == 1024


def test_a_file_of_the_tool_has_each_operation_at_each_size(made_by_the_tool):
    result = read(made_by_the_tool("reprompi.txt"))
    sizes = [(item.levels["op"], item.levels["count"], item.levels["p"]) for item in result.series]
    assert sizes == [("bcast", 8, 2), ("allreduce", 8, 2), ("bcast", 1024, 2), ("allreduce", 1024, 2)]
    assert result.series[1].values == ((1.8457e-05, 3.11e-07, 2.4e-07),)


def test_summaries_are_metrics_of_their_own(written):
    mean, median = read(written(SUMMARY, "reprompi.txt")).series
    assert (mean.metric, mean.values) == ("mean_s", ((5.126e-6,),))
    assert (median.metric, median.values) == ("median_s", ((5e-6,),))


def test_repetitions_that_missed_their_window_do_not_count(written):
    (series,) = read(written(WINDOWS, "reprompi.txt")).series
    assert series.levels == {"op": "allreduce", "p": 4, "bytes": 64}
    assert series.values == ((5.126e-6,),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLAIN[:-14], r"line 8: 3 cells, but the table has 4 columns"),
        (PLAIN.replace("0.0000042600", "fast"), "line 6: 'fast' is not a number"),
        (PLAIN.replace("    test  ", "process  test  ", 1), "line 4: times of each process"),
    ],
)
def test_damaged_lines_and_times_of_processes_are_refused(written, text, message):
    with pytest.raises(UsageError, match=message):
        read(written(text, "reprompi.txt"))
