"""``workloads/graph``: distances that do not depend on what finds them, the reference's inputs, refusals."""

from __future__ import annotations

import itertools
import os

import numpy as np
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
        options = (*small, "--order", order, "--k", "2", "--execution", execution, *itertools.chain(*ways))
        assert checksums(openmpi("graph", ranks, "sssp", *options, **YIELDS), 2) == expected, options


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_distances_and_components_do_not_depend_on_the_direction(openmpi, ranks):
    options = ("--scale", "9", "--validate")
    sources = ("--sources", "3")
    expected = checksums(openmpi("graph", 1, "sssp", *options, *sources), 3)
    turned = ("--direction-optimising", "--transport", "ring" if ranks == 2 else "point-to-point")
    assert checksums(openmpi("graph", ranks, "sssp", *options, *sources, *turned, **YIELDS), 3) == expected
    labels = [
        openmpi("graph", ranks, "cc", *options, *ways, **YIELDS).values("label_checksum")
        for ways in ((), turned)
    ]
    assert labels[0] == labels[1]


@pytest.mark.parametrize("library", ["openmpi", "mpich", "impi"])
def test_every_library_brings_every_algorithm_to_its_result(start, library):
    for verb in ("sssp", "bfs", "cc", "kcore", "pagerank", "bc", "mis", "colour", "triangles"):
        ended = start(library, "graph", 3, verb, "--scale", "7", "--validate", **YIELDS)
        assert ended.code == 0, ended.stderr
    result = {
        tuple(checksums(start(library, "graph", ranks, "sssp", "--scale", "8", *ways, **YIELDS), 1))
        for ranks in (1, 2)
        for ways in ((), ("--direction-optimising",), ("--runtime", "hpx-5"), ("--transport", "ring"))
    }
    assert len(result) == 1


@pytest.mark.parametrize(
    ("library", "ranks", "ways"),
    [
        ("openmpi", 1, ()),
        ("openmpi", 2, ("--transport", "ring")),
        ("openmpi", 4, ("--transport", "ring", "--node-ranks", "2")),
        ("mpich", 3, ("--transport", "ring")),
    ],
)
def test_an_order_of_a_node_changes_no_distance(start, openmpi, library, ranks, ways):
    small = ("--scale", "7", "--sources", "2", "--validate")
    expected = checksums(openmpi("graph", 1, "sssp", *small), 2)
    for order, execution in (("chaotic", "handler"), ("kla", "fibre"), ("delta", "handler")):
        options = (*small, "--order", order, "--node-order", "dijkstra", "--execution", execution, *ways)
        assert checksums(start(library, "graph", ranks, "sssp", *options, **YIELDS), 2) == expected, options


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_tasks_that_wait_for_delegates_find_what_handlers_find(openmpi, ranks):
    small = ("--scale", "7", "--sources", "2", "--validate")
    levels = checksums(openmpi("graph", 1, "bfs", *small), 2)
    scores = openmpi("graph", 1, "bc", *small).values("score_sum", source=2)
    options = ("--active-tasks 3", "--loop-threshold 1", "--buffer-bytes 0", "--transport ring")
    for i, arguments in enumerate(map(str.split, options)):
        batch = ("--batch", ("0", "1", "2", "48")[i])
        bfs = openmpi("graph", ranks, "bfs", *small, "--blocking", *batch, *arguments, **YIELDS)
        assert checksums(bfs, 2) == levels, arguments
        assert (bfs.values("suspensions", source=2)[0] > 0) == (ranks > 1)
        bc = openmpi("graph", ranks, "bc", *small, "--blocking", *arguments, **YIELDS)
        assert bc.code == 0, bc.stderr
        assert bc.values("score_sum", source=2) == pytest.approx(scores)


@pytest.mark.parametrize("verb", ["bfs", "bc"])
def test_tasks_that_wait_are_right_on_sixteen_simulated_ranks(simulated, verb):
    options = ("--scale", "7", "--validate", "--blocking", "--compute", "calibrated")
    ended = simulated("graph", 16, verb, *options)
    assert ended.code == 0, ended.stderr
    assert ended.values("delegates", source=1)[0] > 0


def test_levels_are_distances_of_unit_weights_on_a_file_and_on_any_ranks(openmpi, tmp_path):
    path = tmp_path / "edges"
    path.write_text("".join(f"{i} {(i * i + 1) % 97}\n" for i in range(97)))
    options = ("--generator", str(path), "--roots", "0,5", "--validate")
    result = {
        tuple(checksums(openmpi("graph", ranks, verb, *options, **YIELDS), 2))
        for verb in ("sssp", "bfs")
        for ranks in (1, 3)
    }
    assert len(result) == 1


@pytest.mark.parametrize("scale", ["5", "10", "14"])
def test_the_graph_of_the_specification_is_drawn_to_the_bit_by_all_ranks_together(openmpi, scale):
    ended = openmpi("graph", 3, "generate", "--scale", scale, "--hash", **YIELDS)
    assert ended.stdout.splitlines()[-1] == f"fnv1a {GOLDEN[scale]}"


@pytest.mark.parametrize(
    "verb",
    [
        *((verb,) for verb in ("sssp", "bfs", "cc", "kcore", "pagerank", "bc", "mis", "colour", "triangles")),
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
    options = ("sssp", "--scale", "8", "--generator", "rmat1", "--sources", "2", "--compute", "calibrated")
    first = simulated("graph", 4, *options)
    assert first.code == 0, first.stderr
    assert first.lines == simulated("graph", 4, *options).lines


def test_tasks_with_stacks_cost_more_than_handlers_on_a_simulated_machine(simulated):
    # Level by level: each vertex is worked on once, whatever comes first.
    def seconds(execution):
        options = ("--scale", "11", "--own", "sent", "--compute", "calibrated", "--execution", execution)
        ended = simulated("graph", 2, "bfs", *options)
        assert ended.code == 0, ended.stderr
        return ended.values("time_s", source=1)[0]

    assert seconds("handler") < seconds("coroutine") < seconds("fibre")


def test_kla_with_parcels_one_by_one_ends_without_a_look(simulated):
    options = (
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
        "--no-filter",
    )
    ended = simulated("graph", 4, *options, configuration=("smpi/test:1", "smpi/grow-injected-times:no"))
    assert ended.code == 0, ended.stderr
    # A look would take a second.
    assert ended.values("messages", source=1)[0] > 10_000
    assert ended.values("time_s", source=1)[0] < 1


def test_items_that_take_longer_make_the_orders_with_few_of_them_better(simulated):
    options = ("sssp", "--generator", "rmat1", "--scale", "9", "--compute", "calibrated")
    took = {}
    for order in ("kla", "delta"):
        for times in ("1", "10000"):
            ended = simulated("graph", 4, *options, "--order", order, "--k", "2", "--compute-times", times)
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
    ("options", "message"),
    [
        (("colours",), "'colours' is unknown"),
        (("sssp", "--generator", "/nowhere"), "/nowhere cannot be read"),
        (("sssp", "--generator", "/"), "/ cannot be read: Is a directory"),
        (("sssp", "--scale", "31"), "does not fit in memory"),
        (("sssp", "--scale", "5", "--roots", "32"), "32 is not in the graph"),
        (("sssp", "--scale", "5", "--roots", "one"), "'one' is not a vertex"),
        (("sssp", "--scale", "5", "--sources", "31"), "only 30 sources"),
        (("sssp", "--order", "alphabetic"), "--order"),
        (("pagerank", "--scale", "5", "--cache", "min"), "--cache"),
        (("pagerank", "--scale", "5", "--method", "pull", "--cache", "sum"), "--method items"),
        (("pagerank", "--scale", "5", "--method", "pull", "--directed"), "--method items"),
        (("cc", "--scale", "5", "--method", "union", "--order", "kla"), "--method items"),
        (("cc", "--scale", "5", "--method", "union", "--direction-optimising"), "exclude each other"),
        (("bfs", "--scale", "5", "--owners", "even"), "--owners"),
        (("sssp", "--scale", "0"), "--scale"),
        (("bfs", "--blocking", "--direction-optimising"), "exclude each other"),
        (("bc", "--blocking", "--execution", "coroutine"), "--execution fibre"),
        (("bfs", "--blocking", "--execution", "handler"), "--execution fibre"),
        (("sssp", "--blocking"), "--blocking"),
        (("bfs", "--blocking", "--batch", "49"), "--batch"),
        (("sssp", "--local-order", "delta", "--node-order", "delta"), "exclude each other"),
        (
            ("sssp", "--scale", "5", "--node-order", "delta", "--transport", "point-to-point"),
            "--node-order needs ranks that share memory",
        ),
        (("bfs", "--sources", "2", "--output", "levels"), "--output is the result of one source"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line_by_all_ranks(openmpi, options, message):
    ended = openmpi("graph", 3, *options, **YIELDS)
    assert ended.code in {1, 2}
    (line,) = [item for item in ended.stderr.splitlines() if item.startswith("graph")]
    assert message in line


def test_a_damaged_file_ends_all_ranks_with_its_line(openmpi, tmp_path):
    path = tmp_path / "edges"
    path.write_text("0 1 2\n1 2 3\n2 0 x\n")
    ended = openmpi("graph", 3, "sssp", "--generator", str(path), **YIELDS)
    assert ended.code == 1
    (line,) = [item for item in ended.stderr.splitlines() if item.startswith("graph")]
    assert f"{path}:3: '2 0 x' is not an edge" in line


@pytest.mark.parametrize(
    ("edge", "message"),
    [
        ("1 2 1e39", "weight '1e39' is outside of the range of single precision"),
        ("1 2 1e-60", "weight '1e-60' is outside of the range of single precision"),
        ("1 2 -1", "weight '-1' is negative or not finite"),
        ("1 2 nan", "weight 'nan' is negative or not finite"),
        ("1 2 1.0.0", "'1 2 1.0.0' is not an edge"),
    ],
)
def test_a_weight_that_cannot_be_is_named(openmpi, tmp_path, edge, message):
    path = tmp_path / "edges"
    path.write_text(f"0 1 2\n{edge}\n")
    ended = openmpi("graph", 2, "sssp", "--generator", str(path), **YIELDS)
    assert ended.code == 1
    assert f"{path}:2: {message}" in ended.stderr


def mix64(x):
    """The finaliser of SplitMix64 (DOI 10.1145/2660193.2660195)."""
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def checksum(bits):
    """As the README has it: of the bits of each vertex's value."""
    vertices = mix64(np.arange(len(bits), dtype=np.uint64))
    mixed = mix64(vertices ^ bits.astype(np.uint64))
    return float(int(mixed.sum(dtype=np.uint64)) >> 11)


def ring_with_a_tail(path):
    """A file of 9 vertices: a ring of 6 with a chord, two more, and one alone."""
    edges = [(i, (i + 1) % 6, 1 + i / 4) for i in range(6)] + [
        (0, 3, 1.5),
        (3, 6, 0.25),
        (7, 7, 1),
        (6, 8, 2),
    ]
    path.write_text("".join(f"{a} {b} {w}\n" for a, b, w in edges))
    return edges


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("ending", ["txt", "npy"])
def test_distances_and_parents_can_be_taken_out(openmpi, tmp_path, ranks, ending):
    edges = ring_with_a_tail(tmp_path / "edges")
    out = tmp_path / f"paths.{ending}"
    options = ("--generator", str(tmp_path / "edges"), "--roots", "1", "--output", str(out))
    ended = openmpi("graph", ranks, "sssp", *options, **YIELDS)
    assert ended.code == 0, ended.stderr
    if ending == "npy":
        table = np.load(out)
        vertices, distances, parents = (table[name] for name in ("vertex", "distance", "parent"))
    else:
        assert out.read_text().splitlines()[0] == "# vertex distance parent"
        vertices, distances, parents = np.loadtxt(out, unpack=True)
    # Bellman and Ford, by hand.
    expected = np.full(9, np.inf)
    expected[1] = 0
    for _ in range(9):
        for a, b, w in edges:
            expected[b] = min(expected[b], expected[a] + w)
            expected[a] = min(expected[a], expected[b] + w)
    assert list(vertices) == list(range(9))
    assert list(distances) == list(expected)
    assert parents[1] == 1
    assert list(parents[np.isinf(expected)]) == [-1]
    weights = {(a, b): w for a, b, w in edges} | {(b, a): w for a, b, w in edges}
    for vertex in np.flatnonzero(np.isfinite(expected)):
        if vertex != 1:
            parent = int(parents[vertex])
            assert expected[parent] + weights[parent, vertex] == expected[vertex]
    bits = distances.astype(np.float32).view(np.uint32)
    assert ended.values("distance_checksum", source=1) == [checksum(bits)]


@pytest.mark.parametrize(("verb", "name"), [("cc", "label"), ("kcore", "core")])
def test_labels_and_cores_can_be_taken_out_and_make_their_checksum(openmpi, tmp_path, verb, name):
    ring_with_a_tail(tmp_path / "edges")
    out = tmp_path / "values.npy"
    options = ("--generator", str(tmp_path / "edges"), "--output", str(out))
    ended = openmpi("graph", 3, verb, *options, **YIELDS)
    assert ended.code == 0, ended.stderr
    values = np.load(out)[name]
    assert list(values) == {"cc": [0] * 7 + [7, 0], "kcore": [2] * 6 + [1, 0, 1]}[verb]
    assert ended.values(f"{name}_checksum") == [checksum(values)]


def in_drawn_order(rows):
    """Return the least colour that no neighbour has, one vertex after the other."""
    golden = np.uint64(0x9E3779B97F4A7C15)
    places = mix64((np.arange(len(rows), dtype=np.uint64) + np.uint64(1)) * golden)
    colours = {}
    for vertex in np.argsort(places):
        near = {colours[neighbour] for neighbour in rows[vertex] if neighbour in colours}
        colours[vertex] = next(colour for colour in range(len(rows)) if colour not in near)
    return [colours[vertex] for vertex in range(len(rows))]


@pytest.mark.parametrize("count", [30, 80], ids=["alike", "a hub"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
def test_sets_colours_and_triangles_are_those_of_one_process_on_any_ranks(openmpi, tmp_path, ranks, count):
    # Where no degree is above four times their mean, triangles are in the order of numbers alone.
    drawn = np.random.default_rng(8).integers(0, 30, (120, 2))
    drawn = np.concatenate((drawn, [(0, leaf) for leaf in range(30, count)] or drawn[:0]))
    (tmp_path / "edges").write_text("29 29\n" + "".join(f"{a} {b}\n" for a, b in drawn))
    joined = np.zeros((count, count), dtype=int)
    joined[drawn[:, 0], drawn[:, 1]] = joined[drawn[:, 1], drawn[:, 0]] = 1
    np.fill_diagonal(joined, 0)
    colours = in_drawn_order([set(np.flatnonzero(row)) for row in joined])
    expected = {"mis": ("in_set", [int(colour == 0) for colour in colours]), "colour": ("colour", colours)}
    options = ("--generator", str(tmp_path / "edges"), "--validate", "--output", str(tmp_path / "out.npy"))
    for verb, (name, values) in expected.items():
        ended = openmpi("graph", ranks, verb, *options, **YIELDS)
        assert ended.code == 0, ended.stderr
        assert list(np.load(tmp_path / "out.npy")[name]) == values
        (checksum_of,) = ended.values("set_checksum" if verb == "mis" else "colour_checksum")
        assert checksum_of == checksum(np.array(values))
    ended = openmpi("graph", ranks, "triangles", *options, **YIELDS)
    assert ended.code == 0, ended.stderr
    assert ended.values("triangles") == [np.trace(joined @ joined @ joined) / 6]
    degrees = joined.sum(axis=0)
    are_alike = degrees.max() <= 4 * degrees.mean()
    assert are_alike == (count == 30)
    place = {vertex: (0 if are_alike else degrees[vertex], vertex) for vertex in range(count)}
    counts = np.zeros(count, dtype=int)
    for three in itertools.combinations(range(count), 3):
        if all(joined[a, b] for a, b in itertools.combinations(three, 2)):
            counts[sorted(three, key=place.__getitem__)[1]] += 1
    assert list(np.load(tmp_path / "out.npy")["triangles"]) == list(counts)
    assert ended.values("triangle_checksum") == [checksum(counts)]


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_components_by_union_are_the_least_numbers_whoever_owns_them(start, library, tmp_path, ranks):
    drawn = np.random.default_rng(5).integers(0, 400, (300, 2))
    (tmp_path / "edges").write_text("".join(f"{a} {b}\n" for a, b in drawn) + "399 399\n")
    labels = np.arange(400)
    for _ in range(400):
        least = labels.copy()
        np.minimum.at(least, drawn[:, 0], labels[drawn[:, 1]])
        np.minimum.at(least, drawn[:, 1], labels[drawn[:, 0]])
        labels = least
    options = ("--generator", str(tmp_path / "edges"), "--validate", "--output", str(tmp_path / "out.npy"))
    for owners in ("cyclic", "block", "hash"):
        ways = ("--method", "union", "--owners", owners)
        ended = start(library, "graph", ranks, "cc", *options, *ways, **YIELDS)
        assert ended.code == 0, ended.stderr
        assert list(np.load(tmp_path / "out.npy")["label"]) == list(labels)
        assert ended.values("components") == [len(set(labels))]


def test_hardly_an_arc_of_a_lattice_leads_to_another_rank_by_blocks(openmpi):
    small = ("cc", "--generator", "lattice", "--scale", "12")
    shares = [
        openmpi("graph", 2, *small, "--owners", owners, **YIELDS).values("remote_arcs")[0]
        for owners in ("cyclic", "block")
    ]
    # 64 × 64: of 2 × 64 × 63 edges those within rows, or those of one seam.
    assert shares == [pytest.approx(0.5), pytest.approx(1 / 126)]


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize(
    "ways", [(), ("--method", "items"), ("--owners", "block"), ("--owners", "hash"), ("--route", "grid")]
)
def test_page_ranks_are_those_of_numpy_and_have_a_checksum_and_a_residual(openmpi, tmp_path, ranks, ways):
    edges = ring_with_a_tail(tmp_path / "edges")
    out = tmp_path / "ranks.txt"
    options = (
        "--generator",
        str(tmp_path / "edges"),
        "--tolerance",
        "1e-7",
        "--validate",
        "--output",
        str(out),
        *ways,
    )
    ended = openmpi("graph", ranks, "pagerank", *options, **YIELDS)
    assert ended.code == 0, ended.stderr
    steps = np.full((9, 9), 1 / 9)
    for vertex in range(9):
        near = {b for a, b, _ in edges if a == vertex} | {a for a, b, _ in edges if b == vertex}
        near.discard(vertex)
        if near:
            steps[vertex] = [1 / len(near) if neighbour in near else 0 for neighbour in range(9)]
    expected = np.linalg.solve(np.eye(9) - 0.85 * steps.T, np.full(9, 0.15 / 9))
    ranked = np.loadtxt(out)[:, 1]
    assert ranked == pytest.approx(expected, abs=1e-6)
    (residual,) = ended.values("residual")
    assert 0 <= residual < 2e-6
    drawn = mix64((np.arange(9, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))
    weights = (drawn >> np.uint64(11)) * 2.0**-53
    assert ended.values("rank_checksum") == [pytest.approx(ranked @ weights, rel=1e-12)]


def directed_ranks(arcs, count):
    """PageRank by a linear system; a vertex without arcs gives to all."""
    steps = np.full((count, count), 1 / count)
    for vertex in range(count):
        targets = {target for source, target in arcs if source == vertex and target != vertex}
        if targets:
            steps[vertex] = [1 / len(targets) if neighbour in targets else 0 for neighbour in range(count)]
    return np.linalg.solve(np.eye(count) - 0.85 * steps.T, np.full(count, 0.15 / count))


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("ways", [(), ("--cache", "sum"), ("--execution", "fibre"), ("--own", "sent")])
def test_page_ranks_of_a_directed_graph_are_those_of_numpy(openmpi, tmp_path, ranks, ways):
    drawn = np.random.default_rng(11)
    arcs = [(int(a), int(b)) for a, b in drawn.integers(0, (20, 30), size=(90, 2))]  # Ten give nothing.
    (tmp_path / "edges").write_text("".join(f"{a} {b}\n" for a, b in [*arcs, (29, 29)]))
    out = tmp_path / "ranks.txt"
    options = ("--generator", str(tmp_path / "edges"), "--directed", "--tolerance", "1e-7", "--validate")
    ended = openmpi("graph", ranks, "pagerank", *options, *ways, "--output", str(out), **YIELDS)
    assert ended.code == 0, ended.stderr
    assert np.loadtxt(out)[:, 1] == pytest.approx(directed_ranks(arcs, 30), abs=1e-6)
    (iterations,) = ended.values("iterations")
    assert ended.values("edges") == [iterations * (len(arcs) + 1)]


@pytest.mark.parametrize("symmetry", ["symmetric", "general"])
def test_edges_of_a_symmetric_matrix_lead_both_ways_in_a_directed_graph_too(openmpi, tmp_path, symmetry):
    edges = [(1, 2), (1, 3), (3, 4), (5, 2)]
    matrix = tmp_path / "edges.mtx"
    rows = "".join(f"{a} {b}\n" for a, b in edges)
    matrix.write_text(f"%%MatrixMarket matrix coordinate pattern {symmetry}\n5 5 {len(edges)}\n{rows}")
    out = tmp_path / "ranks.txt"
    options = ("--generator", str(matrix), "--directed", "--tolerance", "1e-6")
    ended = openmpi("graph", 2, "pagerank", *options, "--validate", "--output", str(out), **YIELDS)
    assert ended.code == 0, ended.stderr
    arcs = [(a - 1, b - 1) for a, b in edges]
    both = [*arcs, *((b, a) for a, b in arcs)] if symmetry == "symmetric" else arcs
    assert np.loadtxt(out)[:, 1] == pytest.approx(directed_ranks(both, 5), abs=1e-5)


DIRECTED = {
    "matrix": "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",
    "snap": "# Directed graph (each unordered pair of nodes is saved once)\n# Nodes: 3\n0 1\n1 2\n",
    "konect": "% asym positive\n0 1\n1 2\n",
}


@pytest.mark.parametrize("kind", DIRECTED)
def test_a_file_with_a_direction_is_made_undirected_only_when_told(openmpi, tmp_path, kind):
    edges = tmp_path / "edges"
    edges.write_text(DIRECTED[kind])
    options = ("--generator", str(edges))
    ended = openmpi("graph", 2, "cc", *options, **YIELDS)
    assert ended.code == 2
    message = (
        f"graph cc: {edges} says that its edges have a direction; --undirected takes each of them for both"
    )
    assert message in ended.stderr
    assert openmpi("graph", 2, "cc", *options, "--undirected", "--validate", **YIELDS).code == 0
    assert "--directed follows it" in openmpi("graph", 2, "pagerank", *options, **YIELDS).stderr
    assert openmpi("graph", 2, "pagerank", *options, "--directed", **YIELDS).code == 0
    both = openmpi("graph", 2, "pagerank", *options, "--directed", "--undirected", **YIELDS)
    assert both.code == 2
    assert "exclude each other" in both.stderr


@pytest.mark.parametrize("head", ["# Undirected graph: edges\n", "# an edge list\n", "% sym\n", ""])
def test_edges_without_a_direction_need_no_telling(openmpi, tmp_path, head):
    edges = tmp_path / "edges"
    edges.write_text(f"{head}0 1\n# Directed graph, says a later line\n1 2\n")
    assert openmpi("graph", 2, "cc", "--generator", str(edges), **YIELDS).code == 0


def test_scores_of_betweenness_are_taken_out_of_all_sources_together(openmpi, tmp_path):
    path = tmp_path / "path"
    path.write_text("0 1\n1 2\n2 3\n")
    out = tmp_path / "scores.npy"
    ended = openmpi(
        "graph",
        2,
        "bc",
        "--generator",
        str(path),
        "--roots",
        "0",
        "1",
        "2",
        "3",
        "--output",
        str(out),
        **YIELDS,
    )
    assert ended.code == 0, ended.stderr
    # Ordered pairs whose path leads over a vertex.
    assert list(np.load(out)["score"]) == [0, 4, 4, 0]


def test_what_other_ranks_know_is_sent_unless_it_is_asked_for(openmpi):
    options = ("sssp", "--scale", "10", "--sources", "2", "--order", "chaotic", "--validate")
    filtered, unfiltered = (openmpi("graph", 2, *options, *way, **YIELDS) for way in ((), ("--no-filter",)))
    assert checksums(filtered, 2) == checksums(unfiltered, 2)
    for source in (1, 2):
        sent = [ended.values("items", source=source)[0] for ended in (filtered, unfiltered)]
        assert sent[0] < sent[1] / 2


@pytest.mark.parametrize("program", ["graph", "uts"])
def test_more_ranks_than_cpus_are_said_once(openmpi, program):
    options = ("bfs", "--scale", "5") if program == "graph" else ("--tree", "small-binomial")
    cpus = os.sysconf("SC_NPROCESSORS_ONLN")
    message = f"{program}: more ranks ({cpus + 1}) than CPUs"
    ended = openmpi(program, cpus + 1, *options, **YIELDS)
    assert ended.code == 0, ended.stderr
    assert ended.stderr.count(message) == 1
    assert "more ranks" not in openmpi(program, 1, *options).stderr


def test_bad_input_ends_a_simulation_too(simulated):
    ended = simulated("graph", 4, "sssp", "--scale", "5", "--roots", "32")
    assert ended.code == 2
    assert "32 is not in the graph" in ended.stderr
