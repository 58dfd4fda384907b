"""``cmake --install`` of the libraries, and programs outside of the source tree that use what it installs."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from programs import BUILDS, ROOT, STARTING, built

EXAMPLES = ROOT / "workloads" / "examples"
FLAT = "share/goodsyard/networks/flat.json"


def must_run(command: list[str], env: dict[str, str] | None = None) -> str:
    """What a command prints. Fails the test with its output where it fails."""
    done = subprocess.run(
        command,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}"
    return done.stdout


class Consumer:
    """Installed trees, the first of which decides on the compiler, and the examples built with them, or what
    ``source`` has.
    """

    def __init__(
        self, library: str, place: Path, beside: tuple[str, ...] = (), source: Path = EXAMPLES
    ) -> None:
        built("plain", "lib/libworkloads_text.a")
        for tree in (library, *beside):
            if tree != "plain":
                built(tree, "mpi/libworkloads_mpi.a")
        self.library = library
        self.prefix = place / "prefix"
        self.build = place / "build"
        mpi = ROOT / ".cache" / "mpi" / library
        self.env = {"PATH": f"{mpi / 'bin'}{os.pathsep}{os.environ['PATH']}"} if library != "plain" else {}
        for tree in (library, *beside):
            must_run(["cmake", "--install", str(BUILDS / tree), "--prefix", str(self.prefix)])
        configure = ["cmake", "-G", "Ninja", "-S", str(source), "-B", str(self.build)]
        must_run(
            [
                *configure,
                f"-DCMAKE_PREFIX_PATH={self.prefix}",
                "-DCMAKE_BUILD_TYPE=Debug",
                "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
            ],
            self.env,
        )

    def make(self, *programs: str) -> None:
        must_run(["cmake", "--build", str(self.build), "--target", *programs], self.env)

    def start_virtual(self, ranks: int, program: str, *arguments: str, **env: str) -> str:
        """The same in virtual time, on the network that is installed unless on another one."""
        network = () if "--network" in arguments else ("--network", f"virtual:{self.prefix / FLAT}")
        command = [str(self.build / f"{program}_virtual"), *arguments, *network, "--ranks", str(ranks)]
        return must_run(command, env)

    def start(self, ranks: int, program: str, *arguments: str, **env: str) -> str:
        words, variables = STARTING[self.library]
        mpirun = ROOT / ".cache" / "mpi" / self.library / "bin" / "mpirun"
        command = [str(mpirun), *words, "-n", str(ranks), str(self.build / program), *arguments]
        return must_run(command, {**self.env, **variables, **env})


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return Consumer("plain", tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def virtual(tmp_path_factory):
    consumer = Consumer("plain", tmp_path_factory.mktemp("virtual"), beside=("virtual",))
    consumer.make("histogram_virtual", "measured_virtual")
    return consumer


@pytest.fixture(scope="module")
def openmpi_consumer(tmp_path_factory):
    consumer = Consumer("openmpi", tmp_path_factory.mktemp("openmpi"))
    consumer.make("all")
    return consumer


def test_a_program_without_mpi_is_built_with_cmake_and_runs_its_schedules(plain):
    plain.make("simulated_ranks")
    # 20 seeds at 1, 2, 3, 4 and 7 ranks, 100 words of each rank.
    assert must_run([str(plain.build / "simulated_ranks")]) == f"{20 * 100 * (1 + 2 + 3 + 4 + 7)} words\n"


def test_pkg_config_names_what_a_program_links(plain, tmp_path):
    env = {"PKG_CONFIG_PATH": str(next(plain.prefix.glob("lib*")) / "pkgconfig")}
    flags = must_run(["pkg-config", "--cflags", "--libs", "goodsyard-containers"], env).split()
    program = tmp_path / "program"
    source = tmp_path / "program.cpp"
    source.write_text(
        "#include <goodsyard/runtime.hpp>\nint main() {\n"
        "  const auto parameters = goodsyard::runtime::settled({});\n"
        "  goodsyard::runtime::AloneTransport alone(goodsyard::runtime::capacity_bytes(parameters));\n"
        "  goodsyard::runtime::Runtime runtime(alone, parameters);\n"
        "  goodsyard::runtime::Channel<int> channel(runtime);\n"
        "  int sum = 0;\n  channel.on_receipt([&](int number) { sum += number; });\n"
        "  channel.send(0, 40);\n  channel.send(0, 2);\n  runtime.epoch();\n  return sum == 42 ? 0 : 1;\n}\n"
    )
    must_run(["c++", "-std=c++20", str(source), "-o", str(program), *flags])
    must_run([str(program)])
    assert must_run(["pkg-config", "--modversion", "goodsyard-containers"], env).strip() == "0.13.0"


def test_users_get_c_plus_plus_20_and_no_flag_of_ours(plain):
    commands = json.loads((plain.build / "compile_commands.json").read_text())
    assert len(commands) == 1
    for command in commands:
        assert re.search(r"-std=(gnu|c)\+\+20", command["command"])
        assert not re.search(r" -(W\w|I\S*workloads)", command["command"])


def test_headers_are_installed_below_one_folder_and_name_only_each_other(plain):
    include = plain.prefix / "include"
    assert [path.name for path in include.iterdir()] == ["goodsyard"]
    headers = sorted(include.rglob("*.hpp"))
    assert len(headers) > 50
    for header in headers:
        for name in re.findall(r'#include "(.+?)"', header.read_text()):
            assert (include / name).is_file(), (header, name)


@pytest.mark.parametrize(
    ("components", "message"),
    [
        ("mpi", "built without MPI"),
        ("virtual", "no component virtual: cmake --install"),
        ("nosuch", "has the components"),
    ],
)
def test_a_component_that_is_not_there_is_said(plain, tmp_path, components, message):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\n"
        f"find_package(goodsyard REQUIRED COMPONENTS {components})\n"
    )
    done = subprocess.run(
        ["cmake", "-S", str(tmp_path), "-B", str(tmp_path / "b"), f"-DCMAKE_PREFIX_PATH={plain.prefix}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())


def read_lines(metrics: Path) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in metrics.read_bytes().splitlines()]


@pytest.mark.parametrize("ranks", [1, 3, 40])
def test_a_program_of_ranks_counts_the_same_in_virtual_time(virtual, ranks):
    printed = virtual.start_virtual(ranks, "histogram", "--numbers", "6000", "--buckets", "100")
    count, most = map(int, re.findall(r"\d+", printed))
    assert count == 6000 * ranks
    assert 60 * ranks < most < 200 * ranks


def test_a_program_takes_the_time_of_its_network_to_the_bit(virtual, tmp_path):
    slow = msgspec.json.decode((virtual.prefix / FLAT).read_bytes())
    slow["outside"]["latency_s"] = 1e-3
    (tmp_path / "slow.json").write_bytes(msgspec.json.encode(slow))

    def time_of(*network: str) -> list[float]:
        metrics = tmp_path / "metrics"
        metrics.unlink(missing_ok=True)
        counts = ("--words", "500", "--repetitions", "3", "--compute", "calibrated")
        virtual.start_virtual(4, "measured", *counts, *network, STEELYARD_METRICS=str(metrics))
        (line,) = [line for line in read_lines(metrics) if line["metric"] == "time_s"]
        assert (line["labels"]["implementation"], line["labels"]["p"]) == ("virtual", 4)
        return list(line["values"])

    fast = time_of()
    assert all(time > 0 for time in fast)
    assert time_of() == fast
    # A question whether all is done, and its answer, take two flights at least.
    assert min(time_of("--network", f"virtual:{tmp_path / 'slow.json'}")) > 2e-3


def test_a_program_with_both_kinds_of_ranks_is_refused(virtual, tmp_path):
    (tmp_path / "program.cpp").write_text("int main() {}\n")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\n"
        "find_package(goodsyard REQUIRED COMPONENTS containers virtual)\nadd_executable(p program.cpp)\n"
        "target_link_libraries(p PRIVATE goodsyard::containers goodsyard::virtual)\n"
    )
    done = subprocess.run(
        ["cmake", "-S", str(tmp_path), "-B", str(tmp_path / "b"), f"-DCMAKE_PREFIX_PATH={virtual.prefix}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "GOODSYARD_RANKS" in done.stderr


def test_a_program_by_pkg_config_has_one_kind_of_ranks(virtual, tmp_path):
    env = {"PKG_CONFIG_PATH": str(next(virtual.prefix.glob("lib*")) / "pkgconfig")}
    flags = must_run(["pkg-config", "--cflags", "--libs", "goodsyard-virtual"], env).split()
    program = tmp_path / "program"
    must_run(["c++", "-std=c++20", str(EXAMPLES / "histogram.cpp"), "-o", str(program), *flags])
    network = f"virtual:{virtual.prefix / FLAT}"
    printed = must_run([str(program), "--numbers", "10", "--network", network, "--ranks", "5"])
    assert printed.startswith("50 numbers")
    both = ["pkg-config", "--cflags", "--libs", "goodsyard-containers", "goodsyard-virtual"]
    command = ["c++", "-std=c++20", "-fsyntax-only", str(EXAMPLES / "histogram.cpp")]
    mixed = must_run(both, env).split()
    done = subprocess.run([*command, *mixed], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "ranks in real time or in virtual time" in done.stderr


def test_what_is_compiled_for_the_other_kind_of_ranks_does_not_link(virtual, tmp_path):
    env = {"PKG_CONFIG_PATH": str(next(virtual.prefix.glob("lib*")) / "pkgconfig")}
    flags = must_run(["pkg-config", "--cflags", "--libs", "goodsyard-virtual"], env).split()
    real = [flag for flag in flags if not flag.startswith("-D")]
    (tmp_path / "program.cpp").write_text(
        "#include <goodsyard/runtime.hpp>\nint main() {\n"
        "  goodsyard::runtime::AloneTransport alone(1 << 16);\n"
        "  goodsyard::runtime::Runtime runtime(alone, goodsyard::runtime::settled({}));\n"
        "  runtime.epoch();\n}\n"
    )
    command = ["c++", "-std=c++20", str(tmp_path / "program.cpp"), "-o", str(tmp_path / "program")]
    must_run([*command, *flags])
    done = subprocess.run([*command, *real], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "undefined reference" in done.stderr


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
@pytest.mark.parametrize(
    ("program", "arguments"),
    [("tree", ("--depth", "12")), ("chains", ("--size", "500"))],
)
def test_examples_find_the_same_at_every_number_of_ranks(openmpi_consumer, program, arguments, ranks):
    printed = openmpi_consumer.start(ranks, program, *arguments)
    assert printed == openmpi_consumer.start(1, program, *arguments)
    assert re.fullmatch(r"\d{3,} (nodes|steps)\n", printed)


def sum_widths(edges: list[tuple[int, int, float]], vertices: int) -> float:
    """The sum of the widths of the widest paths from vertex 0: edges are added from the widest on, until each
    vertex is connected to it. Kruskal's way, which is not the example's.
    """
    parent = list(range(vertices))

    def find(vertex: int) -> int:
        while parent[vertex] != vertex:
            vertex = parent[vertex]
        return vertex

    widths = {0: 1.0}
    for source, target, width in sorted(edges, key=lambda edge: -edge[2]):
        parent[find(source)] = find(target)
        for vertex in range(vertices):
            if vertex not in widths and find(vertex) == find(0):
                widths[vertex] = width
    return sum(widths.values())


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
def test_the_widest_paths_are_those_of_an_algorithm_of_another_kind(openmpi_consumer, tmp_path, ranks):
    drawn = random.Random(ranks)
    vertices = 80
    edges = [
        (drawn.randrange(vertices), drawn.randrange(vertices), drawn.randint(1, 64) / 64) for _ in range(150)
    ]
    edges.append((0, vertices - 1, 1 / 64))
    (tmp_path / "edges").write_text("".join(f"{a} {b} {width}\n" for a, b, width in edges if a != b))
    printed = openmpi_consumer.start(ranks, "widest_path", "--edges", str(tmp_path / "edges"))
    lightest: dict[tuple[int, int], float] = {}
    for a, b, width in edges:  # Of parallel edges a graph keeps the lightest.
        pair = (min(a, b), max(a, b))
        lightest[pair] = min(width, lightest.get(pair, 1.0))
    expected = sum_widths([(a, b, width) for (a, b), width in lightest.items() if a != b], vertices)
    assert printed == f"widths add up to {expected:.3f}\n"


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_a_python_program_lends_its_ranks_and_halves_of_them(openmpi_consumer, ranks):
    library = ROOT / ".cache" / "mpi" / "openmpi"
    packages = library / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    if not (packages / "mpi4py").is_dir():
        pytest.skip("mpi4py is not installed beside Open MPI: ./dev mpi --libraries openmpi")
    words, variables = STARTING["openmpi"]
    printed = must_run(
        [
            *(str(library / "bin" / "mpirun"), *words, "-n", str(ranks)),
            *(sys.executable, str(EXAMPLES / "python_host.py")),
            str(openmpi_consumer.build / "libpython_host.so"),
        ],
        {**variables, "PYTHONPATH": str(packages), "LD_LIBRARY_PATH": str(library / "lib")},
    )

    def counted(team: Iterable[int]) -> str:
        words = Counter(number % (10 + rank) for rank in team for number in range(1000))
        return f"{len(words)} words, {max(words.values())} times"

    halves = [f"rank {rank}: {counted(range(rank % 2, ranks, 2))}" for rank in range(ranks)]
    assert printed.splitlines() == [counted(range(ranks)), *halves]


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_histogram_counts_every_number_once(openmpi_consumer, ranks):
    printed = openmpi_consumer.start(ranks, "histogram", "--numbers", "6000", "--buckets", "100")
    count, most = map(int, re.findall(r"\d+", printed))
    assert count == 6000 * ranks
    assert 60 * ranks < most < 200 * ranks


def test_the_measured_operation_writes_lines_that_a_spec_reads(openmpi_consumer, tmp_path):
    metrics = tmp_path / "metrics"
    openmpi_consumer.start(
        2,
        "measured",
        "--words",
        "500",
        "--sync",
        "barrier",
        "--repetitions",
        "3",
        STEELYARD_METRICS=str(metrics),
    )
    lines = read_lines(metrics)
    (times,) = [line for line in lines if line["metric"] == "time_s"]
    assert times["labels"]["op"] == "words"
    assert times["labels"]["p"] == 2
    spec = (EXAMPLES / "measured.toml").read_text()
    assert re.findall(r"^(\w+) = \{ source", spec, re.MULTILINE) == ["time_s"]


QUIET = {"ASAN_OPTIONS": "detect_leaks=0"}
"""MPI leaks."""
SANITIZED = """cmake_minimum_required(VERSION 3.25)
project(sanitized LANGUAGES CXX)
set(CMAKE_CXX_FLAGS_DEBUG "")
find_package(goodsyard REQUIRED COMPONENTS containers agm mpi)
add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all)
add_link_options(-fsanitize=address,undefined)
foreach(program histogram tree widest_path chains measured simulated_ranks)
    add_executable(${program} EXAMPLES/${program}.cpp)
    target_compile_definitions(${program} PRIVATE GOODSYARD_CHECKED)
    add_executable(${program}_ndebug EXAMPLES/${program}.cpp)
    target_compile_definitions(${program}_ndebug PRIVATE NDEBUG)
    foreach(target ${program} ${program}_ndebug)
        target_link_libraries(${target} PRIVATE goodsyard::containers goodsyard::agm goodsyard::mpi)
    endforeach()
endforeach()
"""
PRINTED = {
    ("histogram", "--numbers", "3000"): r"6000 numbers.*\n",
    ("tree", "--depth", "8"): r"\d{2,} nodes\n",
    ("widest_path", "--edges", "edges"): r"widths add up to 1\.750\n",
    ("chains", "--size", "200"): r"\d{3,} steps\n",
    ("measured", "--words", "100", "--repetitions", "2", "--sync", "barrier"): r"(?s).*time_s.*",
}
"""What examples print."""


KINDS = ("", "_ndebug")
"""With checks, and with NDEBUG: built at once, on two CPUs."""


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory):
    """Each example with sanitizers, which the package has not, twice."""
    place = tmp_path_factory.mktemp("sanitized")
    (place / "CMakeLists.txt").write_text(SANITIZED.replace("EXAMPLES", str(EXAMPLES)))
    (place / "edges").write_text("0 1 0.5\n1 2 0.25\n")
    return Consumer("openmpi", place, source=place)


@pytest.mark.parametrize("command", PRINTED, ids=lambda command: command[0])
def test_sanitized_examples_with_ranks_use_a_package_that_is_not(sanitized, command, monkeypatch):
    program, *arguments = command
    sanitized.make(*(program + kind for kind in KINDS))
    monkeypatch.chdir(sanitized.prefix.parent)
    for kind in KINDS:
        assert re.fullmatch(PRINTED[command], sanitized.start(2, program + kind, *arguments, **QUIET))


def test_sanitized_schedules_of_one_process_use_a_package_that_is_not(sanitized):
    sanitized.make(*(f"simulated_ranks{kind}" for kind in KINDS))
    words = 20 * 100 * (1 + 2 + 3 + 4 + 7)
    for kind in KINDS:
        assert must_run([str(sanitized.build / f"simulated_ranks{kind}")]) == f"{words} words\n"


def refuse(prefix: Path, place: Path, source: str, *flags: str) -> str:
    """What the compiler says of a program that it must not compile."""
    (place / "program.cpp").write_text(source)
    done = subprocess.run(
        ["c++", "-std=c++20", *flags, f"-I{prefix}/include", "-fsyntax-only", "program.cpp"],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    return done.stderr


def test_vertices_of_another_width_than_the_package_has_are_refused(plain, tmp_path):
    text = refuse(plain.prefix, tmp_path, "#include <goodsyard/agm.hpp>\n", "-DGOODSYARD_WIDE_VERTICES")
    assert "this goodsyard has vertices of 32 bits" in text


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("m.async(0, [&] { ++n; });", "a function is executed on another rank"),
        ("m.async(0, [](auto text) { (void)text; }, std::string_view());", "an argument holds an address"),
        ("m.async(0, [](auto all) { (void)all; }, std::vector<int*>());", "an argument holds an address"),
        ("d.post(p, [q = &n](int& i) { i = *q; });", "a function is executed on the object's rank"),
        ("d.post(p, [&](int& i) { i = n; });", "a function is executed on the object's rank"),
        ("(void)d.call(p, [](int& i) { return &i; });", "what a function returns holds an address"),
    ],
)
def test_what_means_nothing_on_another_rank_is_refused(plain, tmp_path, statement, message):
    source = (
        "#include <goodsyard/global.hpp>\nusing namespace goodsyard::global;\n"
        f"void f(Messages& m, Delegates& d, GlobalPtr<int> p, int n) {{\n  (void)m, (void)d, (void)p;\n"
        f"  {statement}\n}}\n"
    )
    assert message in refuse(plain.prefix, tmp_path, source)


def test_mpich_has_a_package_of_its_own_which_open_mpi_does_not_take(tmp_path):
    consumer = Consumer("mpich", tmp_path)
    consumer.make("histogram")
    assert consumer.start(3, "histogram", "--numbers", "1000").startswith("3000 numbers")
    compiler = ROOT / ".cache" / "mpi" / "openmpi" / "bin" / "mpicxx"
    if compiler.is_file():
        (tmp_path / "program.cpp").write_text("#include <goodsyard/mpi.hpp>\n")
        done = subprocess.run(
            [str(compiler), "-std=c++20", f"-I{consumer.prefix}/include", "-c", "program.cpp"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert "built for another MPI library" in done.stderr
