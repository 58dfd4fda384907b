"""``workloads/collectives`` on a simulated flat network with explicit algorithms: the truth is known."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
from pathlib import Path

import pytest
from programs import ROOT

ONCE = ("--repetitions", "1", "--warmup", "0", "--precision", "0", "--clocks", "one")
TREES = ("smpi/barrier:ompi_recursivedoubling", "smpi/bcast:binomial_tree", "smpi/allreduce:rdb")


@pytest.mark.parametrize("op", ["barrier", "bcast", "allreduce", "litmus"])
def test_a_tree_on_a_flat_network_takes_the_same_time_for_every_level(simulated, op):
    latencies = {}
    for ranks in (4, 16, 32):
        ended = simulated("collectives", ranks, *ONCE, "--ops", op, configuration=TREES)
        assert ended.code == 0, ended.stderr
        latencies[ranks] = ended.values("latency_quantile_s", op=op)[0]
    levels = {ranks: latency / math.log2(ranks) for ranks, latency in latencies.items()}
    # alpha + beta a level (Chan et al. 2007); the simulated clock has steps of 10 ns.
    assert levels[16] == pytest.approx(levels[32], rel=0.02)
    assert levels[4] == pytest.approx(levels[32], rel=0.04)


def test_a_simulation_repeats_to_the_bit_and_says_what_it_is(simulated):
    first = simulated("collectives", 8, *ONCE, configuration=TREES)
    again = simulated("collectives", 8, *ONCE, configuration=TREES)
    assert first.code == again.code == 0, first.stderr
    assert first.lines == again.lines
    assert {line["labels"]["implementation"] for line in first.lines} == {"smpi"}


def included(file: Path, workloads: Path) -> set[Path]:
    """A file of the workloads, and those of them that it includes."""
    result, queue = set(), [file.resolve()]
    while queue:
        item = queue.pop()
        if item.is_file() and item not in result:
            result.add(item)
            queue += [workloads / name for name in re.findall(r'#include "(.+?)"', item.read_text())]
    return result


def compiled_once() -> set[Path]:
    """Sources that simulators take from the tree without MPI, and what they include."""
    workloads = ROOT / "workloads"
    sources = {
        listed.parent / name
        for listed in workloads.rglob("CMakeLists.txt")
        for names in re.findall(r"SIMULATED_TOO\s+SOURCES\s(.+?)\sPUBLIC", listed.read_text(), re.DOTALL)
        for name in names.split()
    }
    assert {file.name for file in sources} >= {"options.cpp", "local_sort.cpp", "measure.cpp", "counters.cpp"}
    files = {item for source in sources for item in included(source, workloads)}
    assert len(files) > len(sources)
    return files


def test_no_library_that_is_compiled_once_asks_whether_it_is_simulated():
    files = compiled_once()
    assert [file.name for file in files if re.search(r"\bWORKLOADS_SIMULATED\b", file.read_text())] == []


def test_no_library_that_is_compiled_once_calls_what_the_simulator_replaces():
    # The macros of smpi/smpi_helpers.h, which smpicxx includes first; its allocation is the C library's.
    replaced = r"(?<![.\w])(sleep|usleep|nanosleep|gettimeofday|clock_gettime|getopt\w*|getpid|exit)\s*\("
    clock = ROOT / "workloads" / "timing" / "clock.cpp"
    assert re.search(replaced, clock.read_text())
    assert [file.name for file in compiled_once() if re.search(replaced, file.read_text())] == []


GOLDEN = Path(__file__).parent / "golden" / "collectives.jsonl"


@pytest.mark.parametrize("sync", ["window", "round-time", "barrier"])
def test_all_lines_are_those_of_the_golden_file_to_the_bit(simulated, sync):
    """``STEELYARD_REFRESH_GOLDEN=1`` writes it; what changes there has to be explained."""
    version = subprocess.run(["smpirun", "--version"], capture_output=True, text=True, check=False).stdout
    if "3.32" not in version:
        pytest.skip("the golden file is of SimGrid 3.32")
    options = ("--repetitions", "3", "--precision", "0", "--clocks", "one", "--sync", sync)
    ended = simulated("collectives", 7, *options, configuration=TREES)
    assert ended.code == 0, ended.stderr
    golden = [json.loads(line) for line in GOLDEN.read_text().splitlines()] if GOLDEN.exists() else []
    if os.environ.get("STEELYARD_REFRESH_GOLDEN") == "1":
        golden = [line for line in golden if line["labels"]["sync"] != sync] + ended.lines
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text("".join(f"{json.dumps(line)}\n" for line in golden))
    assert ended.lines == [item for item in golden if item["labels"]["sync"] == sync]


def test_the_simulated_algorithm_is_recorded(simulated):
    ended = simulated("collectives", 4, *ONCE, "--ops", "bcast,reduce", configuration=TREES)
    assert ended.values("latency_s", op="bcast", algorithm="binomial_tree")
    assert ended.values("latency_s", op="reduce", algorithm="selector default")


def test_the_clocks_of_a_simulation_are_found_to_be_one(simulated):
    ended = simulated(
        "collectives", 5, *ONCE[:-2], "--clocks", "hca3", "--ops", "barrier", configuration=TREES
    )
    assert ended.code == 0, ended.stderr
    assert 0 <= ended.values("clock_error_s", op="barrier")[0] < 20e-6


def test_a_barrier_before_each_repetition_makes_the_litmus_test_look_faster(simulated):
    def litmus_s(sync: str) -> float:
        leaving_by_a_tree = ("smpi/barrier:ompi_tree",)
        options = (*ONCE, "--ops", "litmus", "--sync", sync)
        ended = simulated("collectives", 64, *options, configuration=leaving_by_a_tree)
        return ended.values("latency_quantile_s", op="litmus")[0]

    # Ranks near the root leave the barrier first, and their messages are there when the others leave it.
    assert litmus_s("barrier") < 0.8 * litmus_s("window")
