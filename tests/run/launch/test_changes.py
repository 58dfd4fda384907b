"""Interventions as the program sees them: each is asked for in a spec and found in the child."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from steelyard.core.errors import MachineError, UsageError
from steelyard.design import Context, treatments
from steelyard.interventions import INTERVENTIONS
from steelyard.run.launch.changes import _name_of_length
from steelyard.run.launch.launch_plan import LaunchPlan, set_trial
from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.runner import TrialOrder
from steelyard.spec import experiment

SHOW = r"""
#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
extern char **environ;
int main(int count, char **words) {
    char here, directory[PATH_MAX];
    if (!getcwd(directory, sizeof directory)) return 1;
    int names = 0;
    for (char **each = environ; *each; ++each) ++names;
    printf("{\"stack\": %lu, \"heap\": %lu, \"argv0\": \"%s\", \"cwd\": \"%s\", \"nice\": %d, \"class\": %d,"
           " \"no_huge_pages\": %d, \"count\": %d, \"variables\": %d}\n",
           (unsigned long)&here, (unsigned long)malloc(24), words[0], directory,
           getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0),
           count, names);
}
"""


@pytest.fixture(scope="module")
def show(tmp_path_factory) -> Path:
    """A program that prints what it finds around it."""
    directory = tmp_path_factory.mktemp("show")
    (directory / "show.c").write_text(SHOW)
    subprocess.run(["cc", "-O1", "-o", "show", "show.c"], cwd=directory, check=True)
    subprocess.run(["cc", "-O1", "-static", "-o", "still", "show.c"], cwd=directory, check=True)
    return directory / "show"


@pytest.fixture
def find_at(runner, journal, tmp_path, show):
    """``find_at(factor, levels)``: what the program finds at each level of an intervention, without ASLR."""

    def at(name, levels, **program):
        for level in levels:
            if result := INTERVENTIONS[name].missing(level):
                pytest.skip(f"{name} = {level!r}: {result}")
        spec_ = experiment(
            source=str(tmp_path),
            program={"command": [str(show)], **program},
            factors={name: list(levels)},
            contexts={"aslr": "off"},
        )
        launches = LaunchPlan(spec_, treatments(spec_), builds={})
        launches.mark("0" * 16, metrics_file=tmp_path / "made.lab" / "metrics")
        context = launches.start_in_context(Context(1, {"aslr": "off"}))
        runner.run([TrialOrder(key, runner.define(launch)) for key, launch in context.items()])
        raw = read_journal(journal)[0]
        assert [(element.status, element.exit_code) for element in raw] == [("ok", 0)] * len(levels), raw
        return [json.loads(item.stdout) for item in raw]

    return at


def same_but(one, other, *names):
    return {k: v for k, v in one.items() if k not in names} == {
        k: v for k, v in other.items() if k not in names
    }


def test_the_stack_offset_moves_the_stack_and_nothing_that_the_program_is_told(find_at):
    near, far = find_at("stack_offset", [0, 1024])
    assert near["stack"] - far["stack"] == 1024
    assert same_but(near, far, "stack")


def test_argv0_grows_by_slashes_before_a_path_that_names_the_program(find_at, show):
    plain, longer = find_at("argv0_bytes", [0, 512])
    assert (plain["argv0"], longer["argv0"]) == (str(show), "/" * 512 + str(show))
    assert show.samefile(longer["argv0"])
    assert plain["stack"] - longer["stack"] == 512


def test_the_heap_offset_moves_what_malloc_lends_and_nothing_else(find_at):
    plain, moved, page = find_at("heap_offset", [0, 48, 4096])
    assert (moved["heap"] - plain["heap"], page["heap"] - plain["heap"]) == (48, 4096)
    assert same_but(plain, moved, "heap")


def test_a_library_that_the_spec_preloads_is_preloaded_too(tmp_path, show, monkeypatch):
    spec_ = experiment(
        source=str(tmp_path),
        program={"command": [str(show)], "env": {"LD_PRELOAD": "/lib/mine.so"}},
        factors={"heap_offset": [0, 16]},
    )
    item, _ = LaunchPlan(spec_, treatments(spec_), builds={}).start_in_context(None).values()
    (preload,) = [entry for entry in item.env if entry.startswith("LD_PRELOAD=")]
    assert preload.endswith("/steelyard-heap.so:/lib/mine.so")


def test_a_static_program_whose_heap_shall_move_is_refused_before_anything_runs(tmp_path, show):
    spec_ = experiment(
        source=str(tmp_path),
        program={"command": [str(show.with_name("still"))]},
        factors={"heap_offset": [0, 16]},
    )
    with pytest.raises(UsageError, match="is linked statically"):
        LaunchPlan(spec_, treatments(spec_), builds={}).check()


def test_a_program_of_musl_is_refused_since_its_heap_would_stay(tmp_path, show):
    program = tmp_path / "program"
    glibc = b"/lib64/ld-linux-x86-64.so.2\0"
    data = show.read_bytes()
    if glibc not in data:
        pytest.skip("this test knows the loader of x86-64 only")
    program.write_bytes(data.replace(glibc, b"/lib/ld-musl-x86_64.so.1\0\0\0\0"))
    program.chmod(0o755)
    spec_ = experiment(
        source=str(tmp_path), program={"command": [str(program)]}, factors={"heap_offset": [0, 16]}
    )
    with pytest.raises(UsageError, match="uses the C library musl"):
        LaunchPlan(spec_, treatments(spec_), builds={}).check()


def test_a_library_under_a_name_that_the_loader_would_split_is_refused(tmp_path, show, monkeypatch):
    place = tmp_path / "with blank"
    place.mkdir()
    (place / "steelyard-heap.so").write_bytes(b"")
    (place / "steelyard-heap.so").chmod(0o755)
    monkeypatch.setenv("STEELYARD_RUNNER", str(place / "steelyard-runner"))
    spec_ = experiment(
        source=str(tmp_path), program={"command": [str(show)]}, factors={"heap_offset": [0, 16]}
    )
    with pytest.raises(MachineError, match="it splits names at blanks and colons"):
        LaunchPlan(spec_, treatments(spec_), builds={}).check()


def test_the_working_directory_is_the_same_under_a_name_of_the_asked_length(find_at, tmp_path, mounts):
    (tmp_path / "here").write_text("")
    before = mounts()
    short, long = find_at("cwd_bytes", [512, 1717])
    assert [len(item["cwd"]) for item in (short, long)] == [512, 1717]
    assert same_but(short, long, "cwd")
    assert mounts() == before
    assert list(Path(short["cwd"]).iterdir()) == []


def test_a_program_under_a_longer_directory_reads_and_writes_where_it_belongs(runner, journal, tmp_path):
    if result := INTERVENTIONS["cwd_bytes"].missing(600):
        pytest.skip(result)
    (tmp_path / "in").write_text("text")
    spec_ = experiment(
        source=str(tmp_path),
        program={"command": "cp in out", "shell": True},
        contexts={"cwd_bytes": 600},
    )
    launches = LaunchPlan(spec_, treatments(spec_), builds={})
    launches.mark("0" * 16, metrics_file=tmp_path / "made.lab" / "metrics")
    (launch,) = launches.start_in_context(Context(1, {"cwd_bytes": 600})).values()
    number = runner.define(launch)
    runner.run([TrialOrder(1, number), TrialOrder(2, number)])
    assert [item.exit_code for item in read_journal(journal)[0]] == [0, 0]
    assert (tmp_path / "out").read_text() == "text"


def test_a_directory_of_each_trial_is_shown_to_its_trial(tmp_path):
    spec_ = experiment(
        source=str(tmp_path),
        program={"command": ["true"], "cwd": "at-{trial}"},
        contexts={"cwd_bytes": 600},
    )
    launches = LaunchPlan(spec_, treatments(spec_), builds={})
    launches.mark("0" * 16, metrics_file=tmp_path / "made.lab" / "metrics")
    (launch,) = launches.start_in_context(Context(1, {"cwd_bytes": 600})).values()
    assert set_trial(launch, 7).cwd_source == str(tmp_path / "at-000000000007")


@pytest.mark.parametrize("length", [*range(64, 70), 200, 254, 255, 256, 257, 258, 455, 456, 457, 3072])
def test_a_name_has_the_asked_length_and_each_of_its_parts_can_be_a_directory(length):
    name = _name_of_length("/a/place", length)
    assert len(name) == length
    assert name.startswith("/a/place/")
    assert all(1 <= len(part) <= 255 for part in name.split("/")[1:])


def test_a_name_shorter_than_its_place_is_refused_with_the_least_that_can_be():
    with pytest.raises(UsageError, match="leaves 82 bytes or more"):
        _name_of_length("/" + "p" * 79, 64)


def test_nice_and_scheduling_class_are_those_of_the_child_only(find_at):
    before = (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0))
    assert [item["nice"] for item in find_at("nice", [3, 7])] == [3, 7]
    assert (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0)) == before


def test_every_scheduling_class_reaches_the_program(find_at):
    levels = ["other", "batch", "idle", "fifo", "rr"]
    expected = [os.SCHED_OTHER, os.SCHED_BATCH, os.SCHED_IDLE, os.SCHED_FIFO, os.SCHED_RR]
    assert [item["class"] for item in find_at("scheduling", levels)] == expected


def test_huge_pages_are_switched_off_for_one_launch_and_given_back_for_the_next(runner, journal, find_at):
    assert [item["no_huge_pages"] for item in find_at("transparent_huge_pages", ["never", "system"])] == [
        1,
        0,
    ]


def test_openmp_is_told_how_to_wait_and_the_stack_stays(find_at):
    active, passive = find_at("omp_wait_policy", ["active", "passive"])
    assert active["stack"] == passive["stack"]


@pytest.mark.skipif(shutil.which("fincore") is None, reason="fincore (util-linux) is not here")
def test_the_files_of_a_program_are_dropped_or_warm_just_before_it_starts(runner, journal, tmp_path):
    data = tmp_path / "data"
    data.write_bytes(os.urandom(1 << 20))
    spec_ = experiment(
        source=str(tmp_path),
        program={"command": ["fincore", "--bytes", "--noheadings", "--output", "RES", "data"]},
        factors={"file_cache": ["dropped", "warm"]},
    )
    context = LaunchPlan(spec_, treatments(spec_), builds={}).start_in_context(None)
    defined = {key: runner.define(launch) for key, launch in context.items()}
    runner.run([TrialOrder(i, defined[1 + i % 2]) for i in range(1, 5)])
    raw = read_journal(journal)[0]
    assert [element.status for element in raw] == ["ok"] * 4, raw
    resident = [int(item.stdout) for item in raw]
    if resident[1]:
        pytest.skip("the file system of temporary files lies in memory")
    assert resident == [1 << 20, 0, 1 << 20, 0]


def test_a_program_of_which_nothing_can_be_dropped_fails_and_says_why(runner, journal):
    memory = Path("/dev/shm")  # noqa: S108 - it lies in memory
    if not os.access(memory, os.W_OK):
        pytest.skip("there is no file system in memory here")
    program = memory / f"steelyard-test-{os.getpid()}"
    shutil.copy("/bin/true", program)
    try:
        spec_ = experiment(
            source="/", program={"command": [str(program)]}, factors={"file_cache": ["dropped"]}
        )
        (launch,) = LaunchPlan(spec_, treatments(spec_), builds={}).start_in_context(None).values()
        runner.run([TrialOrder(1, runner.define(launch))])
    finally:
        program.unlink()
    (raw,) = read_journal(journal)[0]
    assert (raw.status, raw.exit_code) == ("hook_failed", 1)
    assert b"no page of the files could be dropped" in raw.stderr


def test_declared_inputs_are_found_by_pattern_and_placeholders(tmp_path):
    for name in ("a1.bin", "a2.bin", "b1.bin"):
        (tmp_path / name).write_text("x")
    spec_ = experiment(
        source=str(tmp_path),
        program={"command": ["true"], "env": {"W": "{which}"}, "inputs": ["{which}*.bin"]},
        factors={"which": ["a", "b"]},
        contexts={"file_cache": "warm"},
    )
    context = LaunchPlan(spec_, treatments(spec_), builds={}).start_in_context(
        Context(1, {"file_cache": "warm"})
    )
    (cache,) = context[1].prepare
    assert cache.argv[1] == "warm"
    assert {Path(name).name for name in cache.argv[2:]} >= {"a1.bin", "a2.bin"}
    assert not any("b1" in name for name in cache.argv)


def test_a_factor_of_an_older_record_with_a_name_reserved_now_stays_ordinary():
    import msgspec

    spec_ = experiment(source="/", program={"command": ["true", "{n}"]}, factors={"n": ["x", "y"]})
    (factor,) = spec_.factors
    older = msgspec.structs.replace(
        spec_,
        program=msgspec.structs.replace(spec_.program, commands={"": ("true", "{nice}")}),
        factors=(msgspec.structs.replace(factor, name="nice"),),
    )
    context = LaunchPlan(older, treatments(older), builds={}).start_in_context(None)
    assert [launch.nice for launch in context.values()] == [None, None]
