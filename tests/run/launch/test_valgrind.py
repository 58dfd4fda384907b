"""What is started under valgrind, with which caches, and what its summary says."""

from __future__ import annotations

import pytest

from steelyard.core.errors import MachineError
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.valgrind import Valgrind, caches, totals
from steelyard.spec.experiment import Experiment, Program, UserMetric

SUMMARY = b"""==70== Cachegrind, a cache and branch-prediction profiler
==70== Command: /bin/p
--70-- warning: L3 cache found, using its data for the LL simulation.
==71== I   refs:      999
==70== I   refs:      1,331,066
==70== I1  misses:        1,270
==70== D   refs:         36,177  (25,541 rd   + 10,636 wr)
==70== D1  misses:        1,552  ( 1,162 rd   +    390 wr)
==70== D1  miss rate:       4.1% (   4.4%     +    3.5%  )
"""


def counting_spec(*events: str, source: str = "cachegrind") -> Experiment:
    metrics = tuple(UserMetric(event, source=source, event=event) for event in events)
    return Experiment("made up", "/nowhere", Program(commands={"": ("/bin/true",)}), metrics=metrics)


@pytest.fixture
def sysfs(tmp_path):
    """``sysfs(("Data", 1, "48K", 12), …)``: a directory as the kernel describes caches, lines of 64 bytes."""

    def make(*options):
        for place, (kind, level, size, ways) in enumerate(options):
            index = tmp_path / f"index{place}"
            index.mkdir()
            about = {"type": kind, "level": level, "size": size, "ways_of_associativity": ways}
            for name, value in (about | {"coherency_line_size": 64}).items():
                (index / name).write_text(f"{value}\n")
        return tmp_path

    return make


@pytest.fixture
def on_path(tmp_path, monkeypatch):
    """A valgrind that is found, wherever this is tested."""
    program = tmp_path / "bin" / "valgrind"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return str(program)


ZEN_5 = (
    ("Data", 1, "48K", 12),
    ("Instruction", 1, "32K", 8),
    ("Unified", 2, "1024K", 16),
    ("Unified", 3, "32M", 16),
)


def test_the_caches_are_those_of_the_machine_and_the_last_level_is_the_highest(sysfs, on_path):
    directory = sysfs(*ZEN_5)
    assert {name: cache.option for name, cache in caches(directory).items()} == {
        "D1": "49152,12,64",
        "I1": "32768,8,64",
        "LL": "33554432,16,64",
    }
    result = Valgrind.make(counting_spec("d1_misses"), directory)
    assert result is not None
    assert result.options[2:] == (
        "--branch-sim=no",
        "--cache-sim=yes",
        "--I1=32768,8,64",
        "--D1=49152,12,64",
        "--LL=33554432,16,64",
    )


def test_a_last_level_of_no_power_of_two_sets_is_rounded_down_and_a_first_refused(sysfs, on_path):
    directory = sysfs(*ZEN_5[:2], ("Unified", 3, "36864K", 12))
    result = Valgrind.make(counting_spec("d1_misses"), directory)
    assert result is not None
    assert result.options[-1] == f"--LL={32768 * 12 * 64},12,64"
    (directory / "index0" / "size").write_text("40K\n")
    (directory / "index0" / "ways_of_associativity").write_text("12\n")
    with pytest.raises(MachineError, match="cache D1 of this machine, which has 53 sets"):
        Valgrind.make(counting_spec("d1_misses"), directory)


def test_only_what_is_asked_for_is_simulated(sysfs, on_path, tmp_path):
    nothing = tmp_path / "nothing"
    plain = Valgrind.make(counting_spec("instructions"), nothing)
    branches = Valgrind.make(counting_spec("instructions", "mispredicts"), nothing)
    callgrind = Valgrind.make(counting_spec("instructions", source="callgrind"), nothing)
    assert plain is not None
    assert branches is not None
    assert callgrind is not None
    assert plain.options[2:] == ("--branch-sim=no", "--cache-sim=no")
    assert branches.options[2:] == ("--branch-sim=yes", "--cache-sim=no")
    assert callgrind.options == ("--tool=callgrind", "--callgrind-out-file=/dev/null")
    with pytest.raises(MachineError, match="the size of the cache I1"):
        Valgrind.make(counting_spec("d1_misses"), nothing)


def test_without_valgrind_the_machine_lacks_something(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Valgrind.make(counting_spec()) is None
    with pytest.raises(MachineError, match="needs valgrind"):
        Valgrind.make(counting_spec("instructions"))


def test_the_program_is_started_by_its_path_and_reports_to_the_summary():
    launch = Launch("/bin/p", ("p", "a b", "--tool=none"), ("A=1",), "/", counters=("cycles",))
    under = Valgrind("/usr/bin/valgrind", ("--tool=cachegrind",)).wrap_launch(launch, "/lab/summary")
    assert under.path == "/usr/bin/valgrind"
    assert under.argv[1:] == ("--tool=cachegrind", "--log-file=/lab/summary", "/bin/p", "a b", "--tool=none")
    assert (under.env, under.cwd, under.metrics_path) == (launch.env, launch.cwd, "/lab/summary")


def test_totals_are_those_of_the_program_and_not_of_a_child_that_it_forked():
    result = totals(SUMMARY)
    assert result["I   refs"] == 1_331_066
    assert result["D1  misses"] == 1_552
    assert result["D   refs"] == 36_177
    assert totals(b"") == {}
