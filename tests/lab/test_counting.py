"""A deterministic witness: what the layout of a program does to its cache misses, asserted without a clock.

The programs say themselves which lines share a set; cachegrind, with the geometry of this machine's
first-level cache, is the independent witness.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from steelyard.extensions.demo import SOURCES
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.run.run import run
from steelyard.run.launch.valgrind import Cache, caches
from steelyard.store import Record

pytestmark = pytest.mark.extensions("demo")

STEPS = 6000
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")
METRICS = {
    "d1_misses": {"source": "cachegrind", "event": "d1_misses"},
    "instructions": {"source": "cachegrind", "event": "instructions"},
}


@pytest.fixture(scope="module")
def geometry() -> Cache:
    for program in ("valgrind", "cc"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not found")
    cache = caches().get("D1")
    if cache is None or cache.ways not in (4, 8, 12, 16) or cache.sets & (cache.sets - 1):
        pytest.skip("the first-level cache of this machine is not told, or none that the programs fit")
    return cache


@pytest.fixture(scope="module")
def compiled(geometry, tmp_path_factory):
    """``compiled(source, output, *options)``: one of the demo's programs, fit to this machine's cache."""
    directory = tmp_path_factory.mktemp("layouts")
    span = geometry.sets * geometry.line_bytes
    options = (f"-DWAYS={geometry.ways}", f"-DSPAN={span}", f"-DLINE={geometry.line_bytes}")

    def compile_one(source: str, output: str, *more: str) -> Path:
        command = ["cc", "-std=c11", "-O2", *WARNINGS, *options, *more, str(SOURCES / source), "-o", output]
        subprocess.run(command, cwd=directory, check=True)
        return directory / output

    return compile_one


def counted(record, metric: str) -> dict[str, set[float]]:
    return {sample.treatment.label: set(sample.values) for sample in record.samples(metric)}


def test_cachegrind_separates_slow_from_fast_link_orders_exactly(compiled, geometry, run_in):
    tables = geometry.ways + 3
    main = compiled("link_order.c", "main.o", "-c")
    objects = [compiled("link_order.c", f"t{i}.o", "-c", f"-DINDEX={i}") for i in range(tables)]
    commands, slow = {}, set()
    # The long table at each place: above ``ways`` nodes share a set in five of these orders.
    for place in range(tables):
        order = [*objects[1 : place + 1], objects[0], *objects[place + 1 :]]
        program = main.parent / f"order{place}"
        subprocess.run(["cc", main, *order, "-o", program], check=True)
        stdout = subprocess.run([program, "0"], capture_output=True, text=True, check=True).stdout
        if int(re.search(r"most_in_a_set=(\d+)", stdout)[1]) > geometry.ways:
            slow.add(f"place {place}")
        commands[f"place {place}"] = [str(program), str(STEPS)]
    record = run_in(
        program={"commands": commands},
        metrics=METRICS,
        analysis={"metric": "d1_misses"},
        design={"blocks": 1, "discard": 0},
    )
    assert slow == {f"place {p}" for p in (0, 1, *(geometry.ways + k for k in range(3)))}
    misses = counted(record, "d1_misses")
    fast = max(misses[name] for name in misses.keys() - slow)
    least = min(misses[name] for name in slow)
    # A turn of the ring misses at every node of the crowded set; starting the program misses in all orders.
    assert min(least) - max(fast) > 0.8 * STEPS * geometry.ways / tables
    assert max(fast) < STEPS
    instructions = [value for values in counted(record, "instructions").values() for value in values]
    assert max(instructions) - min(instructions) < 0.01 * min(instructions)


def test_the_slow_environment_is_the_one_whose_counter_falls_into_the_ring(
    compiled, geometry, make_experiment, tmp_path
):
    program = compiled("set_conflict.c", "set_conflict")

    def misses(*env_bytes: int) -> dict[int, tuple[float, bool]]:
        """Length of the environment to misses, and whether the counter is in the way of the ring."""
        question = make_experiment(
            program={"command": [str(program), str(STEPS // geometry.ways)]},
            factors={"env_bytes": list(env_bytes)},
            metrics=METRICS
            | {"ring": {"pattern": r"ring_set=(\d+)"}, "counter": {"pattern": r"counter_set=(\d+)"}},
            analysis={"metric": "d1_misses"},
            design={"blocks": 1, "discard": 0},
        )
        directory = tmp_path / f"{len(env_bytes)}.lab"
        run(question, directory)
        with Record.open(directory) as record:
            result = {name: counted(record, name) for name in ("d1_misses", "ring", "counter")}
            env_bytes_of = {label: int(label.removeprefix("env_bytes=")) for label in result["counter"]}
            counter_at.update(
                {env_bytes_of[label]: min(values) for label, values in result["counter"].items()}
            )
            return {
                env_bytes_of[label]: (value, result["ring"][label] == result["counter"][label])
                for label, (value,) in result["d1_misses"].items()
            }

    counter_at: dict[int, float] = {}
    misses(0, geometry.line_bytes)
    assert counter_at[0] - counter_at[geometry.line_bytes] in (1, 1 - geometry.sets)
    lines = int(counter_at[0])  # the ring begins in set 0, and a longer environment moves the stack down
    env_bytes = [geometry.line_bytes * ((lines + off) % geometry.sets) for off in (0, 1, -1, 5, 30)]
    result = misses(*env_bytes)
    assert [length for length, (_, conflict) in result.items() if conflict] == [env_bytes[0]]
    fast = [value for length, (value, _) in result.items() if length != env_bytes[0]]
    assert result[env_bytes[0]][0] > max(fast) + STEPS / 2
    assert max(fast) - min(fast) < STEPS / 10


def test_counts_repeat_exactly_and_equal_programs_under_unequal_paths_count_the_same(
    compiled, geometry, run_in, tmp_path
):
    program = compiled("set_conflict.c", "set_conflict")
    elsewhere = tmp_path / "a directory with a much longer name" / "set_conflict"
    elsewhere.parent.mkdir()
    shutil.copy(program, elsewhere)
    record = run_in(
        program={"commands": {"here": [str(program), "50"], "there": [str(elsewhere), "50"]}},
        metrics={
            **METRICS,
            "counter": {"pattern": r"counter_set=(\d+)"},
        },
        analysis={"metric": "instructions"},
        design={"blocks": 3, "discard": 0},
    )
    for name in ("d1_misses", "counter"):
        result = counted(record, name)
        assert len(result["here"]) == 1
        assert result["here"] == result["there"]
    answer = analyze(record)
    assert [summary.metric.name for summary in answer.samples if summary.metric.name == "wall_s"] == []
    assert any("cachegrind" in str(notice.fields.get("text")) for notice in answer.warnings)
