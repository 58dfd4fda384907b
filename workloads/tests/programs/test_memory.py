"""``workloads/memory``: what is counted is what was allocated."""

from __future__ import annotations

import statistics

import pytest

OBJECTS = ("comm_create", "comm_dup", "win_create", "cart_create")


@pytest.mark.parametrize("library", ["openmpi", "mpich", "impi"])
@pytest.mark.parametrize("ranks", [2, 4])
def test_every_constructor_and_the_process_are_measured(start, library, ranks):
    ended = start(library, "memory", ranks, "--repetitions", "9")
    assert ended.code == 0, ended.stderr
    for op in OBJECTS:
        values = ended.values("heap_bytes", op=op, p=ranks, implementation=library)
        assert len(values) == 9
        assert all(0 < value < 1e8 for value in values)
        middle = statistics.median_low(values)
        (jumps,) = ended.values("heap_jumps", op=op)
        assert jumps == sum(value > 10 * middle for value in values)
        common = [value for value in values if value <= 10 * middle]
        assert ended.values("heap_mean_bytes", op=op) == pytest.approx([statistics.fmean(common)])
        assert ended.values("heap_jump_bytes", op=op) == pytest.approx([max(values) - middle])
        assert ended.values("shared_bytes", op=op)[0] >= 0
    assert ended.values("heap_bytes", op="mpi_init")[0] > 1e6
    resident = ended.values("resident_bytes", op="process")[0]
    private = ended.values("private_bytes", op="process")[0]
    assert private <= resident
    # Ranks of one host talk through memory that they share.
    assert 0 < ended.values("shared_bytes", op="process")[0] < resident


def test_the_heap_of_open_mpi_is_resident_memory_of_its_process_and_of_nobody_else(start):
    ended = start("openmpi", "memory", 2, "--repetitions", "3")
    heap = ended.values("heap_bytes", op="mpi_init")[0]
    assert ended.values("private_bytes", op="process")[0] > 0.5 * heap


@pytest.mark.parametrize("library", ["openmpi", "mpich", "impi"])
def test_the_process_is_read_again_when_every_rank_has_talked_to_every_other(start, library):
    ended = start(library, "memory", 4, "--repetitions", "0", "--bytes", "4096")
    assert ended.code == 0, ended.stderr
    assert not {line["labels"]["op"] for line in ended.lines} & {*OBJECTS}
    for metric in ("resident_bytes", "proportional_bytes", "private_bytes"):
        (before,) = ended.values(metric, op="process")
        (after,) = ended.values(metric, op="process_after_alltoall")
        assert 1e6 < before < 1e9
        assert 0.5 * before < after < 1e9
    (result,) = ended.values("heap_bytes", op="alltoall")
    # The buffers themselves, four times 4,096 bytes twice, are gone.
    assert 0 <= result < 1e8
