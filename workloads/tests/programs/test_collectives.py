"""``workloads/collectives`` on real MPI: outcomes, and what is printed."""

from __future__ import annotations

import statistics

import pytest

OPS = ("barrier", "bcast", "reduce", "allreduce", "gather", "allgather", "alltoall", "litmus")
FEW = ("--repetitions", "4", "--precision", "0", "--warmup", "1", "--budget", "100")
"""They end with the fourth valid repetition, which beside other work comes late."""


@pytest.mark.parametrize("library", ["openmpi", "mpich", "impi"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
def test_every_operation_is_right_at_every_number_of_ranks(start, library, ranks):
    ended = start(library, "collectives", ranks, *FEW, "--clocks", "one", "--sync", "round-time")
    assert ended.code == 0, ended.stderr
    for op in OPS:
        values = ended.values("latency_s", op=op, p=ranks, implementation=library, sync="round-time")
        assert len(values) >= 1
        assert all(value > 0 for value in values)


MOCK_UPS = (
    "bcast_by_scatter_and_allgather",
    "bcast_by_allgatherv",
    "reduce_by_allreduce",
    "reduce_by_reduce_scatter_block_and_gather",
    "allreduce_by_reduce_and_bcast",
    "allreduce_by_reduce_scatter_block_and_allgather",
    "gather_by_allgather",
    "gather_by_reduce",
    "gather_by_gatherv",
    "allgather_by_gather_and_bcast",
    "allgather_by_alltoall",
    "allgather_by_allreduce",
    "allgather_by_allgatherv",
    "alltoall_by_alltoallv",
    "scatter_by_bcast",
    "scatter_by_scatterv",
    "reduce_scatter_block_by_reduce_and_scatter",
    "reduce_scatter_block_by_allreduce",
    "reduce_scatter_block_by_reduce_scatter",
    "scan_by_exscan_and_reduce_local",
)
OTHERS = ("scatter", "reduce_scatter_block", "scan", "exscan")


@pytest.mark.parametrize(("ranks", "size"), [(1, 8), (2, 800), (3, 40)])
def test_operations_of_the_guidelines_and_their_mock_ups_are_right(openmpi, ranks, size):
    # 5 elements for 3 ranks: parts are padded.
    options = ("--ops", ",".join((*OTHERS, *MOCK_UPS)), "--bytes", str(size), "--sync", "round-time")
    ended = openmpi("collectives", ranks, *FEW, *options)
    assert ended.code == 0, ended.stderr
    for op in (*OTHERS, *MOCK_UPS):
        assert ended.values("latency_quantile_s", op=op, bytes=size), op
    assert all(ended.values("latency_quantile_s", op=op, algorithm="mock-up") for op in MOCK_UPS)


@pytest.mark.parametrize("sync", ["window", "barrier"])
def test_the_reported_quantile_is_that_of_the_repetitions(openmpi, sync):
    ended = openmpi("collectives", 2, *FEW, "--ops", "bcast", "--bytes", "64", "--sync", sync)
    assert ended.code == 0, ended.stderr
    values = ended.values("latency_s", op="bcast", bytes=64)
    reported = ended.values("latency_quantile_s", op="bcast")[0]
    if len(values) > 1:
        # Witness: the inclusive quartile of the standard library is the same interpolation.
        assert reported == pytest.approx(statistics.quantiles(values, n=4, method="inclusive")[0])
    assert ended.values("clock_error_s", op="bcast")[0] >= 0
    assert ended.values("timer_step_s")[0] > 0


def test_raw_values_have_the_latency_as_their_maximum_over_ranks(openmpi):
    ended = openmpi("collectives", 3, *FEW, "--ops", "allreduce", "--raw", "--sync", "round-time")
    assert ended.code == 0, ended.stderr
    raw = ended.values("latency_of_rank_s", op="allreduce")
    longest = [max(raw[i : i + 3]) for i in range(0, len(raw), 3)]
    assert longest == ended.values("latency_s", op="allreduce")
    ranks = [statistics.fmean(raw[rank::3]) for rank in range(3)]
    assert ended.values("mean_of_ranks_s", op="allreduce") == pytest.approx([statistics.fmean(ranks)])
    assert ended.values("mean_of_slowest_rank_s", op="allreduce") == pytest.approx([max(ranks)])


@pytest.mark.parametrize(
    ("options", "exact"),
    [((), True), (("--timer", "cycles"), False), (("--clocks", "hca3"), False)],
)
def test_ranks_of_one_host_share_a_clock_unless_each_counts_cycles_of_its_own(openmpi, options, exact):
    ended = openmpi("collectives", 2, *FEW, "--ops", "bcast", *options)
    if "cycles" in options and "constant_tsc" in ended.stderr:
        pytest.skip("the cycle counter of this CPU does not tick at one rate")
    assert ended.code == 0, ended.stderr
    (error_s,) = ended.values("clock_error_s", op="bcast")
    assert (error_s == 0) is exact


def test_the_algorithm_that_was_forced_is_recorded(openmpi):
    forced = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_bcast_algorithm": "1"}
    ended = openmpi("collectives", 2, *FEW, "--ops", "bcast", "--sync", "barrier", **forced)
    assert ended.code == 0, ended.stderr
    assert ended.values("latency_s", algorithm="basic_linear")
    chosen = openmpi("collectives", 2, *FEW, "--ops", "bcast", "--sync", "barrier")
    assert chosen.values("latency_s", algorithm="auto")


@pytest.mark.parametrize(
    ("library", "variable", "value"),
    [("mpich", "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial"), ("impi", "I_MPI_ADJUST_BCAST", "1")],
)
def test_an_algorithm_forced_by_a_variable_is_recorded(start, library, variable, value):
    forced = start(
        library, "collectives", 2, *FEW, "--ops", "bcast", "--sync", "barrier", **{variable: value}
    )
    assert forced.code == 0, forced.stderr
    assert forced.values("latency_s", algorithm=value)
    chosen = start(library, "collectives", 2, *FEW, "--ops", "bcast", "--sync", "barrier")
    assert chosen.values("latency_s", algorithm="auto")


def test_a_window_that_is_too_short_is_widened_and_what_it_spoilt_is_counted(openmpi):
    ended = openmpi("collectives", 2, *FEW, "--ops", "allreduce", "--window", "1e-9")
    assert ended.code == 0, ended.stderr
    assert ended.values("spoilt_repetitions", op="allreduce")[0] > 0
    assert ended.values("window_s", op="allreduce")[0] > 1e-9


def test_a_window_that_can_never_be_long_enough_is_an_error(openmpi):
    ended = openmpi("collectives", 2, "--ops", "barrier", "--window", "1.0", "--budget", "0.5")
    assert ended.code != 0
    assert "no window is long enough" in ended.stderr
    assert "--budget" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("--ops", "gossip"), "gossip"), (("--bytes", "12"), "multiple of 8"), (("--sync", "luck"), "luck")],
)
def test_what_cannot_be_asked_for_is_refused_by_name(openmpi, arguments, message):
    ended = openmpi("collectives", 2, *arguments)
    assert ended.code == 2
    assert message in ended.stderr
    assert not ended.lines
