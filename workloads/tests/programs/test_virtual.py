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
