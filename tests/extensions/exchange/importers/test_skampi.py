"""By the shape of files of SKaMPI 5.0.4 and 5.0 that others published; not made by it."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read

OUTPUT = """\
2 nodes selected using 16 cores

# SKaMPI Version 5.0.4 rev. 355

# Started at Thu May 20 15:00:00 2010

#> begin measurement "MPI_Allreduce-procs"
#>    for procs = 2 to num_procs do
#>       measure comm(procs) : Allreduce(4494, datatype, MPI_SUM)
#>    od
#> end measurement

# begin result "MPI_Allreduce-procs"
procs= 2    35952      20.5       0.1       16      20.5      19.0
procs= 4    35952      61.0       0.5       16      61.0      60.0      59.0      60.5
# end result "MPI_Allreduce-procs"
# duration = 0.02 sec

# begin result "MPI_Bcast-nodes-length"
nodes= 2 count= 1        8       6.5       0.1       54       3.0       6.5
# end result "MPI_Bcast-nodes-length"

# begin result "MPI_Barrier-nodes"
count= 0      3.5       0.1       32       3.5       3.4      3.3
# end result "MPI_Barrier-nodes"
"""


def test_each_line_is_a_mean_of_one_launch(written):
    result = read(written(OUTPUT, "allreduce.sko"))
    assert (result.tool, result.repeats) == ("skampi 5.0.4", "launch")
    first, second, *_ = result.series
    assert first.levels == {"op": "allreduce", "p": 2, "bytes": 35952}
    assert (first.metric, first.unit, first.values) == ("time_s", "s", ((pytest.approx(20.5e-6),),))
    assert second.levels["p"] == 4


def test_nodes_are_ranks_and_other_variables_levels(written):
    bcast = read(written(OUTPUT, "allreduce.sko")).series[2]
    assert bcast.levels == {"op": "bcast", "p": 2, "count": 1, "bytes": 8}
    assert bcast.values == ((pytest.approx(6.5e-6),),)


def test_without_a_variable_of_ranks_the_means_of_processes_are_counted(written):
    barrier = read(written(OUTPUT, "allreduce.sko")).series[3]
    assert barrier.levels == {"op": "barrier", "count": 0, "p": 3}
    assert barrier.values == ((pytest.approx(3.5e-6),),)


def test_two_measurements_of_one_operation_are_told_apart(written):
    text = OUTPUT.replace("MPI_Bcast-nodes-length", "MPI_Allreduce-length")
    names = [series.levels.get("measurement") for series in read(written(text, "two.sko")).series]
    assert names == ["MPI_Allreduce-procs", "MPI_Allreduce-procs", "MPI_Allreduce-length", None]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("      20.5       0.1       16      20.5      19.0", "", "line 14: no mean, standard error"),
        ("61.0       0.5", "6l.0       0.5", "'6l.0' is not a number"),
        ('# end result "MPI_Barrier-nodes"\n', "", "the result 'MPI_Barrier-nodes' has no end"),
    ],
)
def test_a_file_that_was_cut_off_is_refused(written, old, new, words):
    with pytest.raises(UsageError) as refusal:
        read(written(OUTPUT.replace(old, new), "cut.sko"))
    assert words in str(refusal.value)
