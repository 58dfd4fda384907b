"""``workloads/graph``: distances that do not depend on what finds them, the reference's inputs, refusals."""

from __future__ import annotations

import itertools

import pytest

ORDERS = ("chaotic", "dijkstra", "delta", "kla", "level")
EXECUTIONS = ("handler", "fibre", "coroutine")
YIELDS = {"OMPI_MCA_mpi_yield_when_idle": "1"}
GOLDEN = {"5": "965652502f5ca225", "10": "1f04fe2a5d604a0a", "14": "8fb73210cd4aa3e0"}


def checksums(ended, sources):
    assert ended.code == 0, ended.stderr
    return [ended.values("distance_checksum", source=i + 1)[0] for i in range(sources)]


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_distances_do_not_depend_on_order_execution_transport_and_ranks(openmpi, ranks):
    small = ("--scale", "7", "--sources", "2", "--validate")
    expected = checksums(openmpi("graph", 1, "sssp", *small, "--order", "dijkstra"), 2)
    for i, (order, execution) in enumerate(itertools.product(ORDERS, EXECUTIONS)):
        ways = (
            ("--transport", "ring" if i % 2 else "point-to-point"),
            ("--buffer-bytes", ("0", "64", "-1")[i % 3]),
        )
        asked = (*small, "--order", order, "--k", "2", "--execution", execution, *itertools.chain(*ways))
        assert checksums(openmpi("graph", ranks, "sssp", *asked, **YIELDS), 2) == expected, asked


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_distances_and_components_do_not_depend_on_the_direction(openmpi, ranks):
    asked = ("--scale", "9", "--validate")
    sources = ("--sources", "3")
    expected = checksums(openmpi("graph", 1, "sssp", *asked, *sources), 3)
    turned = ("--direction-optimising", "--transport", "ring" if ranks == 2 else "point-to-point")
    assert checksums(openmpi("graph", ranks, "sssp", *asked, *sources, *turned, **YIELDS), 3) == expected
    labels = [
        openmpi("graph", ranks, "cc", *asked, *ways, **YIELDS).values("label_checksum")
        for ways in ((), turned)
    ]
    assert labels[0] == labels[1]


@pytest.mark.parametrize("library", ["openmpi", "mpich", "impi"])
def test_every_library_brings_every_algorithm_to_its_result(start, library):
    for verb in ("sssp", "bfs", "cc", "kcore", "pagerank", "bc"):
        ended = start(library, "graph", 3, verb, "--scale", "7", "--validate", **YIELDS)
        assert ended.code == 0, ended.stderr
    found = {
        tuple(checksums(start(library, "graph", ranks, "sssp", "--scale", "8", *ways, **YIELDS), 1))
        for ranks in (1, 2)
        for ways in ((), ("--direction-optimising",), ("--runtime", "hpx-5"), ("--transport", "ring"))
    }
    assert len(found) == 1


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_tasks_that_wait_for_delegates_find_what_handlers_find(openmpi, ranks):
    small = ("--scale", "7", "--sources", "2", "--validate")
    levels = checksums(openmpi("graph", 1, "bfs", *small), 2)
    scores = openmpi("graph", 1, "bc", *small).values("score_sum", source=2)
    options = ("--active-tasks 3", "--loop-threshold 1", "--buffer-bytes 0", "--transport ring")
    for asked in map(str.split, options):
        bfs = openmpi("graph", ranks, "bfs", *small, "--blocking", *asked, **YIELDS)
        assert checksums(bfs, 2) == levels, asked
        assert (bfs.values("suspensions", source=2)[0] > 0) == (ranks > 1)
        bc = openmpi("graph", ranks, "bc", *small, "--blocking", *asked, **YIELDS)
        assert bc.code == 0, bc.stderr
        assert bc.values("score_sum", source=2) == pytest.approx(scores)


@pytest.mark.parametrize("verb", ["bfs", "bc"])
def test_tasks_that_wait_are_right_on_sixteen_simulated_ranks(simulated, verb):
    asked = ("--scale", "7", "--validate", "--blocking", "--compute", "calibrated")
    ended = simulated("graph", 16, verb, *asked)
    assert ended.code == 0, ended.stderr
    assert ended.values("delegates", source=1)[0] > 0


def test_levels_are_distances_of_unit_weights_on_a_file_and_on_any_ranks(openmpi, tmp_path):
    path = tmp_path / "edges"
    path.write_text("".join(f"{i} {(i * i + 1) % 97}\n" for i in range(97)))
    asked = ("--generator", str(path), "--roots", "0,5", "--validate")
    found = {
        tuple(checksums(openmpi("graph", ranks, verb, *asked, **YIELDS), 2))
        for verb in ("sssp", "bfs")
        for ranks in (1, 3)
    }
    assert len(found) == 1


@pytest.mark.parametrize("scale", ["5", "10", "14"])
def test_the_graph_of_the_specification_is_drawn_to_the_bit_by_all_ranks_together(openmpi, scale):
    ended = openmpi("graph", 3, "generate", "--scale", scale, "--hash", **YIELDS)
    assert ended.stdout.splitlines()[-1] == f"fnv1a {GOLDEN[scale]}"


@pytest.mark.parametrize(
    "verb",
    [
        *((verb,) for verb in ("sssp", "bfs", "cc", "kcore", "pagerank", "bc")),
        *((verb, "--direction-optimising") for verb in ("sssp", "bfs", "cc")),
    ],
    ids=" ".join,
)
def test_every_algorithm_is_right_on_sixteen_simulated_ranks(simulated, verb):
    ended = simulated("graph", 16, *verb, "--scale", "7", "--validate", "--compute", "fixed")
    assert ended.code == 0, ended.stderr
    (times,) = [line["values"] for line in ended.lines if line["metric"] == "time_s"]
    assert times[0] > 0


def test_a_simulated_run_repeats_to_the_bit(simulated):
    asked = ("sssp", "--scale", "8", "--generator", "rmat1", "--sources", "2", "--compute", "calibrated")
    first = simulated("graph", 4, *asked)
    assert first.code == 0, first.stderr
    assert first.lines == simulated("graph", 4, *asked).lines


def test_tasks_with_stacks_cost_more_than_handlers_on_a_simulated_machine(simulated):
    # Level by level: each vertex is worked on once, whatever comes first.
    def seconds(execution):
        asked = ("--scale", "11", "--own", "sent", "--compute", "calibrated", "--execution", execution)
        ended = simulated("graph", 2, "bfs", *asked)
        assert ended.code == 0, ended.stderr
        return ended.values("time_s", source=1)[0]

    assert seconds("handler") < seconds("coroutine") < seconds("fibre")


def test_kla_with_parcels_one_by_one_ends_without_a_look(simulated):
    asked = (
        "sssp",
        "--generator",
        "rmat1",
        "--scale",
        "9",
        "--order",
        "kla",
        "--k",
        "2",
        "--runtime",
        "hpx-5",
    )
    ended = simulated("graph", 4, *asked, configuration=("smpi/test:1", "smpi/grow-injected-times:no"))
    assert ended.code == 0, ended.stderr
    # A look would take a second.
    assert ended.values("messages", source=1)[0] > 10_000
    assert ended.values("time_s", source=1)[0] < 1


def test_items_that_take_longer_make_the_orders_with_few_of_them_better(simulated):
    asked = ("sssp", "--generator", "rmat1", "--scale", "9", "--compute", "calibrated")
    took = {}
    for order in ("kla", "delta"):
        for times in ("1", "10000"):
            ended = simulated("graph", 4, *asked, "--order", order, "--k", "2", "--compute-times", times)
            assert ended.code == 0, ended.stderr
            took[order, times] = ended.values("time_s", source=1)[0]
    labels = {line["labels"]["compute"] for line in ended.lines}
    assert [label.rpartition(", ")[2] for label in labels] == ["times 10000"]
    # Δ = 1 has few items and many epochs.
    assert took["delta", "1"] > took["kla", "1"]
    assert took["delta", "10000"] < took["kla", "10000"]


def test_the_summary_is_the_harmonic_mean_of_the_sources(openmpi):
    ended = openmpi("graph", 2, "bfs", "--scale", "6", "--sources", "4", **YIELDS)
    rates = [ended.values("teps", source=i)[0] for i in range(1, 5)]
    assert ended.values("teps_harmonic_mean")[0] == pytest.approx(4 / sum(1 / rate for rate in rates))
    assert ended.values("teps_harmonic_standard_error")[0] > 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("colour",), "'colour' is unknown"),
        (("sssp", "--generator", "/nowhere"), "/nowhere cannot be read"),
        (("sssp", "--scale", "31"), "does not fit in memory"),
        (("sssp", "--scale", "5", "--roots", "32"), "32 is not in the graph"),
        (("sssp", "--scale", "5", "--roots", "one"), "'one' is not a vertex"),
        (("sssp", "--scale", "5", "--sources", "31"), "only 30 sources"),
        (("sssp", "--order", "alphabetic"), "--order"),
        (("pagerank", "--scale", "5", "--cache", "min"), "--cache"),
        (("sssp", "--scale", "0"), "--scale"),
        (("bfs", "--blocking", "--direction-optimising"), "exclude each other"),
        (("bc", "--blocking", "--execution", "coroutine"), "--execution fibre"),
        (("bfs", "--blocking", "--execution", "handler"), "--execution fibre"),
        (("sssp", "--blocking"), "--blocking"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line_by_all_ranks(openmpi, asked, said):
    ended = openmpi("graph", 3, *asked, **YIELDS)
    assert ended.code in {1, 2}
    (line,) = [each for each in ended.stderr.splitlines() if each.startswith("graph")]
    assert said in line


def test_a_damaged_file_ends_all_ranks_with_its_line(openmpi, tmp_path):
    path = tmp_path / "edges"
    path.write_text("0 1 2\n1 2 3\n2 0 x\n")
    ended = openmpi("graph", 3, "sssp", "--generator", str(path), **YIELDS)
    assert ended.code == 1
    (line,) = [each for each in ended.stderr.splitlines() if each.startswith("graph")]
    assert f"{path}:3: '2 0 x' is not an edge" in line


def test_bad_input_ends_a_simulation_too(simulated):
    ended = simulated("graph", 4, "sssp", "--scale", "5", "--roots", "32")
    assert ended.code == 2
    assert "32 is not in the graph" in ended.stderr
