"""Programs in virtual time, beside SimGrid by counts, and what they say of bad input."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from programs import ROOT, Ended, built

FLAT = ROOT / "workloads" / "virtual" / "networks" / "flat.json"
BFS = ("bfs", "--scale", "10", "--sources", "1", "--idle", "wait", "--compute", "calibrated")
SSSP = (
    *(
        "sssp",
        "--generator",
        "rmat1",
        "--scale",
        "10",
        "--max-weight",
        "255",
        "--order",
        "delta",
        "--delta",
        "1",
    ),
    *("--sources", "1", "--idle", "wait", "--compute", "calibrated"),
)


@pytest.fixture
def virtual(tmp_path):
    """``virtual("graph", 16, …)`` on the flat network, or on ``network``."""

    def run(program: str, ranks: int, *arguments: str, network: object = None) -> Ended:
        file = FLAT
        if network is not None:
            file = tmp_path / "network.json"
            file.write_text(json.dumps(network))
        metrics = tmp_path / "virtual-metrics"
        metrics.unlink(missing_ok=True)
        words = [str(built("virtual", f"bin/{program}")), *arguments]
        done = subprocess.run(
            [*words, "--network", f"virtual:{file}", "--ranks", str(ranks)],
            env={**os.environ, "STEELYARD_METRICS": str(metrics)},
            capture_output=True,
            text=True,
            check=False,
        )
        return Ended(done, metrics)

    return run


def network(**keys: object) -> dict[str, object]:
    return {"format": "steelyard-network", "version": 1, "nodes": 4, **keys}


@pytest.mark.parametrize("options", [BFS, SSSP], ids=["bfs", "sssp"])
@pytest.mark.parametrize("ranks", [2, 8])
def test_a_program_sends_as_many_messages_as_on_simgrid_and_takes_as_long(simulated, virtual, options, ranks):
    theirs, ours = simulated("graph", ranks, *options), virtual("graph", ranks, *options)
    assert (theirs.code, ours.code) == (0, 0), theirs.stderr + ours.stderr
    for count in ("items", "epochs", "messages"):
        assert ours.values(count)[0] == pytest.approx(theirs.values(count)[0], rel=0.05)
    # Both are simulated times, which repeat to the bit.
    assert ours.values("time_s")[0] == pytest.approx(theirs.values("time_s")[0], rel=0.05)


def test_a_run_repeats_to_the_bit_and_noise_is_by_seed(virtual):
    options = ("--tree", "T3", "--compute", "calibrated", "--rank-noise", "0.1", "--message-noise", "1e-7")
    first, again, neighbour = (virtual("uts", 8, *options, "--noise-seed", seed) for seed in ("1", "1", "2"))
    assert first.code == 0, first.stderr
    assert first.lines == again.lines
    assert first.values("time_s") != neighbour.values("time_s")
    assert first.values("nodes") == neighbour.values("nodes")


@pytest.mark.parametrize("route", ["grid", "node"])
def test_a_route_changes_messages_and_no_result(virtual, route):
    options = ("sssp", "--scale", "9", "--sources", "1", "--ranks-of-node", "4", "--order", "delta")
    direct, routed = virtual("graph", 16, *options), virtual("graph", 16, *options, "--route", route)
    assert routed.code == 0, routed.stderr
    assert routed.values("distance_checksum") == direct.values("distance_checksum")
    assert direct.values("items_forwarded") == [0]
    assert routed.values("items_forwarded")[0] > 0


def test_an_order_of_a_node_changes_no_distance_and_needs_looks_that_take_time(virtual):
    options = ("sssp", "--scale", "8", "--order", "chaotic", "--compute", "fixed", "--ranks-of-node", "4")
    plain = virtual("graph", 8, *options)
    ordered = virtual("graph", 8, *options, "--node-order", "dijkstra")
    assert ordered.code == 0, ordered.stderr
    for metric in ("distance_checksum", "vertices_reached"):
        assert ordered.values(metric) == plain.values(metric)
    assert ordered.values("items_useful") < plain.values("items_useful")
    refused = virtual("graph", 8, *options, "--node-order", "dijkstra", "--idle", "wait")
    assert refused.code == 2
    assert "in virtual time not --idle wait" in refused.stderr


def test_messages_are_sent_when_they_are_old(virtual):
    options = ("--ops", "updates", "--updates", "100", "--table-bits", "4", "--flush-age", "1e-4")
    ended = virtual("runtime", 4, *options, "--no-flush-when-idle", "--repetitions", "1", "--warmup", "0")
    assert ended.code == 0, ended.stderr
    assert ended.values("flushes_age")[0] > 0
    assert ended.values("flushes_last") == [0]


@pytest.mark.parametrize(
    ("ranks", "written", "message"),
    [
        (5, network(), "--ranks 5: the network has 4 nodes of 1, room for 4"),
        (2, network(outside={"latency_s": -1}), "outside.latency_s: expected a number, 0 or more, got -1"),
        (
            2,
            network(topology={"kind": "torus", "extents": [3]}),
            "topology.extents: they make 3 hosts, and nodes is 4",
        ),
        (2, {}, "not version 1 of steelyard-network"),
    ],
)
def test_a_network_that_does_not_fit_ends_with_one_line(virtual, ranks, written, message):
    ended = virtual("uts", ranks, network=written)
    assert ended.code == 2
    assert ended.stderr.count("\n") == 1
    assert message in ended.stderr


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("raise-in-handler", "planted"),
        ("raise-number", "an exception that is no std::exception was not caught"),
        ("raise-in-destructor", "planted"),
        ("add-epoch", "rank 0 ends its runtime after epoch 1 at runtime.cpp:"),
        ("exit", "exit() is called while other ranks go on: "),
        ("quick-exit", "exit() is called while other ranks go on: "),
        ("drop-future", "a future ends before its answer has come: "),
    ],
)
def test_what_one_rank_raises_or_misuses_ends_all_with_a_line_that_names_it(virtual, how, sentence):
    ended = virtual("runtime_check", 2, "--how", how)
    assert ended.stderr.startswith(f"runtime_check: rank 1: {sentence}")
    assert ended.stderr.count("\n") == 1
    assert ended.code == 1


def test_nodes_are_those_of_the_network_and_of_nothing_else(virtual):
    ended = virtual("runtime", 4, "--ops", "updates", "--node-ranks", "2")
    assert ended.code == 2
    assert "--node-ranks" in ended.stderr


KINDS = (
    *("comparison", "move", "hash", "flop", "random_access", "handler", "coroutine", "fibre", "fibre_switch"),
    *(
        "sha1",
        "task",
        "parcel",
        "kept_item",
        "epoch",
        "relaxation",
        "visit",
        "item_class",
        "delegate",
        "children",
    ),
)
"""In the order of the versions: 10 in the first, 14 in the second."""
SIZES = [1 << bits for bits in range(14, 28)]


@pytest.fixture
def rates(tmp_path):
    """``rates(visit=1)``: options by which a visit takes 1 s, and all else as good as nothing."""

    def write(version: int = 3, dependent_beyond: float = 1e-30, **seconds: float) -> tuple[str, ...]:
        kinds = KINDS[: {1: 10, 2: 14, 3: len(KINDS)}[version]]
        operations = {kind: {"median_s": seconds.get(kind, 1e-30)} for kind in kinds}
        document = {
            "format": "steelyard-rates",
            "version": version,
            "date": "2026-11-29",
            "operations": operations,
        }
        if version == 3:
            read = [{"bytes": size, "median_s": 1e-30} for size in SIZES]
            beyond = [{"bytes": size, "median_s": dependent_beyond} for size in SIZES[1:]]
            document["reads"] = {"dependent": [*read[:1], *beyond], "independent": read}
        file = tmp_path / "rates.json"
        file.write_text(json.dumps(document))
        return ("--compute", "calibrated", "--rates", str(file))

    return write


def compared_items(ended: Ended) -> float:
    return sum(ended.values(f"items_{kind}")[0] for kind in ("useful", "superseded", "rejected"))


ALONE_BFS = ("bfs", "--scale", "8", "--sources", "1")
ALONE_SSSP = ("sssp", "--scale", "8", "--sources", "1", "--max-weight", "9", "--generator", "rmat1")


def test_an_edge_is_a_relaxation_or_a_visit_and_in_older_rates_a_comparison(virtual, rates):
    for options, kind in ((ALONE_BFS, "visit"), (ALONE_SSSP, "relaxation")):
        charges = [{kind: 1.0}, {"version": 2, "comparison": 1.0}, {"version": 1, "comparison": 1.0}]
        runs = [virtual("graph", 1, *options, *rates(**charge)) for charge in charges]  # type: ignore[arg-type]
        for run in runs:
            assert run.code == 0, run.stderr
            # The source itself is received before the clock runs.
            assert run.values("time_s")[0] == pytest.approx(compared_items(run), abs=1.5)


def test_each_class_is_charged_beside_its_epoch_and_in_older_rates_is_not(virtual, rates):
    run = virtual("graph", 1, *ALONE_SSSP, *rates(item_class=1))
    classes = run.values("epochs")[0] - 1
    assert classes > 5
    assert run.values("time_s")[0] == pytest.approx(classes)
    older = virtual("graph", 1, *ALONE_SSSP, *rates(version=2, epoch=1))
    assert older.values("time_s")[0] == pytest.approx(classes + 1)


def test_nodes_and_delegates_are_charged_one_by_one(virtual, rates):
    tree = ("--tree", "small-binomial")
    run = virtual("uts", 1, *tree, *rates(children=1))
    assert run.values("time_s")[0] == pytest.approx(run.values("nodes")[0])
    run = virtual("uts", 1, *tree, "--memory", *rates(delegate=1))
    assert run.values("time_s")[0] == pytest.approx(run.values("delegates_here")[0])


def test_a_tree_in_memory_is_read_by_its_size(virtual, rates):
    small = ("-t", "1", "-a", "3", "-b", "4", "-r", "19", "-d", "2", "--memory")
    large = (*small[:-2], "7", "--memory")
    free = virtual("uts", 1, *small, *rates(dependent_beyond=1))
    assert 0 < free.values("nodes")[0] < 1024  # In the nearest cache.
    assert free.values("time_s")[0] == pytest.approx(0, abs=1e-3)
    read = virtual("uts", 1, *large, *rates(dependent_beyond=1))
    inner = read.values("nodes")[0] - read.values("leaves")[0]
    # Of each list, and of its newest child.
    assert read.values("time_s")[0] == pytest.approx(2 * inner, rel=1e-3)
