"""``workloads/uts``: known counts on real and simulated ranks, whatever carries and steals, and refusals."""

from __future__ import annotations

import itertools
import os
import subprocess

import pytest
from programs import built

YIELDS = {"OMPI_MCA_mpi_yield_when_idle": "1"}
LOOKS = ("smpi/test:1e-7", "smpi/grow-injected-times:no")
"""A look for messages takes 0.1 µs. SimGrid's own 0.1 ms, and more each time in vain, would be all that a
small tree takes.
"""
SMALL = {
    "small-fixed": (3987, 3232, 5),
    "small-expdec": (4792, 2451, 20),
    "small-binomial": (1113, 884, 17),
    "small-hybrid": (5504, 4118, 37),
}
LARGE = {
    "T1": (4130071, 10),
    "T2": (4117769, 81),
    "T3": (4112897, 1572),
    "T4": (4132453, 134),
    "T5": (4147582, 20),
}


def counts(ended):
    assert ended.code == 0, ended.stderr
    return tuple(ended.values(metric)[0] for metric in ("nodes", "leaves", "depth"))


@pytest.mark.parametrize("tree", ["tests", "sanitized"])
def test_trees_are_counted_on_a_simulated_network_under_seeded_schedules(tree):
    program = built(tree, "tests/uts_test")
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_small_trees_are_counted_whatever_carries_runs_and_steals(start, library, ranks):
    ways = itertools.product(("point-to-point", "ring"), ("handler", "fibre"), ("0", "5"))
    for name, (transport, execution, stolen) in zip(itertools.cycle(SMALL), ways, strict=False):
        options = ("--transport", transport, "--execution", execution, "-c", stolen, "-i", "8")
        ended = start(library, "uts", ranks, "--tree", name, *options, **YIELDS)
        assert counts(ended) == SMALL[name], options


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_small_trees_are_read_from_memory_whatever_carries_them(start, library, ranks):
    ways = itertools.product(("point-to-point", "ring"), ((), ("--delegates-to-self",)), ("1", "7"))
    for name, (transport, to_self, piece) in zip(itertools.cycle(SMALL), ways, strict=False):
        options = ("--memory", "--transport", transport, *to_self, "--list-piece", piece)
        ended = start(library, "uts", ranks, "--tree", name, *options, **YIELDS)
        assert counts(ended) == SMALL[name], options
        nodes, leaves, _ = SMALL[name]
        # Each vertex is read, and each list, once at the least.
        reads = ended.values("delegates")[0] + ended.values("delegates_here")[0]
        assert reads >= nodes + nodes - leaves
        if ranks == 1:
            assert ended.values("delegates_here")[0] == (0 if to_self else reads)


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
@pytest.mark.parametrize("name", LARGE)
def test_the_trees_of_four_million_nodes_are_counted_by_two_ranks(start, library, name):
    ended = start(library, "uts", 2, "--tree", name, **YIELDS)
    assert counts(ended)[::2] == LARGE[name]
    assert ended.values("steals")[0] > 0
    assert (
        sum(line["values"][0] for line in ended.lines if line["metric"] == "steals_by_items")
        == ended.values("steals")[0]
    )


def test_the_flags_of_the_reference_make_its_trees_with_and_without_instructions(openmpi):
    flags = ("-t", "2", "-a", "0", "-d", "10", "-b", "4", "-r", "1", "-q", "0.234375", "-m", "4", "-c", "3")
    for sha in ("portable", "automatic"):
        ended = openmpi("uts", 1, *flags, "--sha", sha)
        assert counts(ended) == SMALL["small-hybrid"]
    assert openmpi("uts", 1, *flags, "--sha", "portable").values("sha_instructions") == [0]


@pytest.mark.parametrize("name", SMALL)
def test_sixteen_simulated_ranks_count_the_same_and_repeat_to_the_bit(simulated, name):
    options = (
        "--tree",
        name,
        "--compute",
        "calibrated",
        "-i",
        "8",
        "--trace-tasks",
        "1e-5",
        "--idle",
        "yield",
    )
    first = simulated("uts", 16, *options, configuration=LOOKS)
    assert counts(first) == SMALL[name]
    assert first.lines == simulated("uts", 16, *options, configuration=LOOKS).lines
    busy = first.values("busy_ranks_over_time")
    assert len(busy) == len(first.values("tasks_over_time")) > 10
    assert 1 < max(busy) <= 16


def test_a_simulated_tree_takes_longer_by_what_its_states_cost(simulated):
    def seconds(evaluations):
        options = ("--tree", "small-fixed", "-g", str(evaluations), "--compute", "fixed")
        ended = simulated("uts", 2, *options, configuration=LOOKS)
        assert counts(ended) == SMALL["small-fixed"]
        return ended.values("time_s")[0]

    # A nanosecond for each evaluation of the state of each child: all on one rank, or half on each.
    alone_s = 1e-9 * 4999 * (SMALL["small-fixed"][0] - 1)
    assert alone_s / 2 <= seconds(5000) - seconds(1) <= alone_s


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--tree", "T9"), 2, "T9"),
        (("--tree", "T1", "-b", "5"), 2, "--tree T1 has its own"),
        (("-b", "-1"), 2, "--root-children"),
        (("-d", "0"), 2, "--depth"),
        (("-q", "1.5"), 2, "--inner-probability"),
        (("-q", "nan"), 2, "--inner-probability"),
        (("-t", "4"), 2, "--type"),
        (("-a", "2", "-b", "0"), 2, "-b 0"),
        (("-c", "-1"), 2, "-c"),
        (("--memory", "--list-piece", "2"), 2, "--list-piece 2"),
        (("--memory", "--execution", "handler"), 2, "--execution fibre"),
        (("--transport", "ring", "--idle", "wait"), 2, "--idle wait"),
        (("-t", "0", "-q", "1", "--most-nodes", "100000"), 1, "more than 100000 nodes"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line_by_all_ranks(openmpi, options, code, message):
    ended = openmpi("uts", 3, *options, **YIELDS)
    assert ended.code == code
    (line,) = [item for item in ended.stderr.splitlines() if item.startswith("uts:")]
    assert message in line


@pytest.mark.skipif(
    os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") > 73 * 2**30,
    reason="T1XL fits in the memory here",
)
def test_a_tree_that_does_not_fit_in_memory_is_refused_before_it_is_built(openmpi):
    ended = openmpi("uts", 2, "--tree", "T1XL", "--memory", **YIELDS)
    assert ended.code == 1
    (line,) = [item for item in ended.stderr.splitlines() if item.startswith("uts:")]
    assert "does not fit in memory on rank 0: 74 GiB are needed on this host" in line


def test_sixteen_simulated_ranks_read_a_tree_from_memory(simulated):
    ended = simulated("uts", 16, "--tree", "small-binomial", "--memory", "--compute", "calibrated")
    assert counts(ended) == SMALL["small-binomial"]
    assert ended.values("time_s")[0] > 0


def test_bad_input_ends_a_simulation_too(simulated):
    ended = simulated("uts", 4, "--tree", "T9")
    assert ended.code == 2
    assert "T9" in ended.stderr
