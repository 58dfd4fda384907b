"""``workloads/memory``: what is counted is what was allocated."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("ranks", [2, 4])
def test_every_constructor_and_the_process_are_measured(openmpi, ranks):
    ended = openmpi("memory", ranks, "--repetitions", "3", OMPI_MCA_osc="^ucx")
    assert ended.code == 0, ended.stderr
    for op in ("comm_create", "comm_dup", "win_create", "cart_create"):
        values = ended.values("heap_bytes", op=op, p=ranks, implementation="openmpi")
        assert len(values) == 3
        assert all(0 < value < 1e7 for value in values)
    assert ended.values("heap_bytes", op="mpi_init")[0] > 1e6
    resident = ended.values("resident_bytes", op="process")[0]
    private = ended.values("private_bytes", op="process")[0]
    assert private <= resident
    # The library's heap is resident memory of this process and of nobody else.
    assert private > 0.5 * ended.values("heap_bytes", op="mpi_init")[0]
