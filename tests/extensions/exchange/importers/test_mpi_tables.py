"""By the tables that the Intel MPI Benchmarks and OSU's print; not made by them."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read

IMB = """\
#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
#----------------------------------------------------------------
# Date                  : Mon Nov  2 10:00:00 2026

#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.25         0.00
            8         1000         0.50        16.00

#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            4         1000         1.00         3.00         2.00

# All processes entering MPI_Finalize
"""
OSU = """\
# OSU MPI Allreduce Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       1.50              1.00              2.00        1000
2                       1.60              1.10              2.10        1000
"""


def test_imb_has_a_mean_of_one_launch_for_each_size(written):
    result = read(written(IMB, "imb.txt"))
    assert (result.tool, result.repeats) == ("imb 2021.7", "launch")
    by = {(item.levels["op"], item.levels["bytes"], item.metric): item for item in result.series}
    assert by["PingPong", 8, "t_s"].values == ((pytest.approx(0.5e-6),),)
    assert by["PingPong", 8, "throughput"].values == ((pytest.approx(16e6),),)
    assert by["Allreduce", 4, "t_avg_s"].values == ((pytest.approx(2e-6),),)
    assert by["Allreduce", 4, "t_avg_s"].levels["p"] == 4
    assert "the mean over the repetitions of one launch" in result.notes[0]


@pytest.mark.parametrize(
    ("title", "tool"),
    [
        ("#    Intel (R) MPI Benchmarks 4.0, MPI-1 part", "imb 4.0"),
        ("#    Intel (R) MPI Benchmarks 2018, MPI-1 part    ", "imb 2018"),
        ("#    Intel(R) MPI Benchmarks 2019 Update 6, MPI-1 part", "imb 2019"),
        ("#    Intel (R) MPI Benchmark Suite V3.2, MPI-1 part", "imb V3.2"),
    ],
)
def test_every_version_of_imb_is_known_by_its_title(written, title, tool):
    text = IMB.replace("#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part", title)
    waiting = "# #processes = 2\n# ( 62 additional processes waiting in MPI_Barrier)"
    result = read(written(text.replace("# #processes = 2", waiting), "imb.txt"))
    assert result.tool == tool
    assert len(result.series) == 7
    assert result.series[0].levels["p"] == 2


def test_osu_has_a_mean_of_one_launch_for_each_size(written):
    result = read(written(OSU, "osu.txt"))
    assert result.tool == "osu 7.3"
    by = {(item.levels["bytes"], item.metric): item for item in result.series}
    assert by[2, "avg_latency_s"].values == ((pytest.approx(1.6e-6),),)
    assert by[2, "avg_latency_s"].levels["op"] == "allreduce"
    assert (1, "iterations") not in by


def test_point_to_point_of_osu_has_one_column(written):
    text = "# OSU MPI Latency Test v5.6.2\n# Size          Latency (us)\n0                       0.20\n"
    (series,) = read(written(text, "osu.txt")).series
    assert (series.metric, series.values) == ("latency_s", ((pytest.approx(0.2e-6),),))


@pytest.mark.parametrize("text", [IMB.replace("16.00", ""), OSU[:-5]])
def test_a_row_that_was_cut_off_is_refused_with_its_line(written, text):
    with pytest.raises(UsageError, match=r"line \d+: \d numbers, but the table has \d columns"):
        read(written(text, "mpi.txt"))


def test_a_word_in_a_row_is_refused(written):
    with pytest.raises(UsageError, match="line 4: '1x5' is not a number"):
        read(written(OSU.replace("1.50", "1x5"), "osu.txt"))


MESSAGE_RATES = """\

# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.3
# [ pairs: 4 ] [ window size: 64 ]
# Size                  MB/s        Messages/s
1                       4.24        4235302.84
2                       8.82        4409629.80
4                      17.55        4387775.11
"""
OVERLAP = """\
# OSU MPI Non-blocking Allreduce Latency Test v7.3
# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait

# Size           Overall(us)       Compute(us)    Coll. Init(us)      MPI_Test(us)      MPI_Wait(us)  \
  Pure Comm.(us)        Overlap(%)
4                       2.01              1.00              0.50              0.00              0.20  \
            0.90             25.00
"""
BARRIER = "# OSU MPI Barrier Latency Test v5.6.2\n# Avg Latency(us)\n             1.25\n"


def test_message_rates_of_several_pairs_are_two_metrics_of_each_size(written):
    result = read(written(MESSAGE_RATES, "osu.txt"))
    by = {(item.levels["bytes"], item.metric): item for item in result.series}
    assert {size for size, _ in by} == {1, 2, 4}
    assert by[4, "bandwidth"].values == ((pytest.approx(17.55e6),),)
    assert by[4, "message_rate"].values == ((pytest.approx(4387775.11),),)
    rate = by[4, "message_rate"]
    assert (rate.unit, rate.better) == ("1/s", "higher")
    assert (rate.levels["pairs"], rate.levels["window_size"]) == (4, 64)


def test_pairs_of_each_table_are_its_own(written):
    second = MESSAGE_RATES.replace("pairs: 4", "pairs: 8").replace("4.24", "9.24")
    result = read(written(MESSAGE_RATES + second, "osu.txt"))
    bandwidths = {item.levels["pairs"]: item.values for item in result.series if item.metric == "bandwidth"}
    assert set(bandwidths) == {4, 8}
    assert len(result.series) == 12


def test_overlap_is_in_per_cent_and_better_high(written):
    by = {item.metric: item for item in read(written(OVERLAP, "osu.txt")).series}
    assert by["overlap"].values == ((25.0,),)
    assert (by["overlap"].unit, by["overlap"].better) == ("%", "higher")
    assert by["overall_s"].values == ((pytest.approx(2.01e-6),),)


def test_an_operation_without_a_message_has_no_size(written):
    (series,) = read(written(BARRIER, "osu.txt")).series
    assert (series.metric, series.values) == ("avg_latency_s", ((pytest.approx(1.25e-6),),))
    assert "bytes" not in series.levels
