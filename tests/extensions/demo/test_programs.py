"""The programs that the demo measures compute what they say, and depend on what they say.

Nothing here reads a clock: that ``stack_split`` depends on its environment is shown by the places it prints.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

import steelyard

PROGRAMS = Path(steelyard.__file__).parent / "extensions" / "demo" / "programs"
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")
STEP = 16
"""Bytes by which Linux moves the stack; also the step of the environment's length in a sweep."""


class Outcome(NamedTuple):
    """Exit code and both outputs of one run."""

    code: int
    out: str
    err: str


class Position(NamedTuple):
    """What ``stack_split`` prints after its sum."""

    slots: int
    line: int
    page: int
    offset_in_line: int
    offset_in_page: int
    across_line: int
    across_page: int


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Compile ``name.c`` with every warning an error; each combination once."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler: cc is not on PATH")
    directory = tmp_path_factory.mktemp("programs")

    @cache
    def compile_once(name: str, *flags: str) -> Path:
        binary = directory / f"{name}{''.join(flags)}"
        source = PROGRAMS / f"{name}.c"
        command = [compiler, "-std=c11", *WARNINGS, *flags, str(source), "-o", str(binary), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return binary

    return compile_once


def run(*command: str | Path, env: dict[str, str] | None = None) -> Outcome:
    done = subprocess.run(command, env=env or {}, capture_output=True, text=True, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr)


def energy(binary: Path, steps: int) -> str:
    done = run(binary, str(steps))
    assert (done.code, done.err) == (0, "")
    matched = re.fullmatch(r"energy=(-0\.\d{9})\n", done.out)
    assert matched is not None, done.out
    return matched[1]


def sum_and_position(outcome: Outcome) -> tuple[int, Position]:
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.count("\n") == 1
    fields = {name: int(value) for name, value in (part.split("=") for part in outcome.out.split())}
    return fields.pop("sum"), Position(**fields)


def in_context(binary: Path, argument: str, env_bytes: int) -> tuple[int, Position]:
    """Run with address randomisation off and one environment variable of ``env_bytes`` characters."""
    launch = ("setarch", platform.machine(), "-R")
    return sum_and_position(run(*launch, binary, argument, env={"PAD": "x" * env_bytes}))


@pytest.fixture(scope="module")
def randomisation_off() -> None:
    if shutil.which("setarch") is None:
        pytest.skip("address randomisation stays on: setarch (util-linux) is not on PATH")
    tried = run("setarch", platform.machine(), "-R", shutil.which("true") or "true")
    if tried.code != 0:
        pytest.skip(f"address randomisation stays on: {tried.err.strip()}")


@pytest.mark.parametrize("level", ["-O2", "-O3"])
@pytest.mark.parametrize(("steps", "published"), [(0, "-0.169075164"), (1000, "-0.169087605")])
def test_nbody_reaches_the_energies_that_the_benchmarks_game_publishes(
    build, level, steps, published
) -> None:
    assert energy(build("nbody", level), steps) == published


def test_nbody_computes_the_same_at_both_levels(build) -> None:
    assert energy(build("nbody", "-O2"), 54_321) == energy(build("nbody", "-O3"), 54_321)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        # With steps of 300 years the planets leave the Sun.
        ("advance(bodies, 0.01)", "advance(bodies, 300.0)"),
        # Action without reaction: ten steps change the energy by less than it swings.
        ("b[j].vz += dz * b[i].mass * pull;", ""),
    ],
    ids=["energy", "momentum"],
)
def test_nbody_fails_when_an_invariant_does_not_hold(build, tmp_path, right, wrong) -> None:
    build("nbody", "-O2")  # there is a compiler, and the program as it is compiles
    source = (PROGRAMS / "nbody.c").read_text()
    assert source.count(right) == 1
    changed = tmp_path / "changed.c"
    changed.write_text(source.replace(right, wrong))
    binary = tmp_path / "changed"
    subprocess.run(["cc", "-std=c11", "-O2", str(changed), "-o", str(binary), "-lm"], check=True)
    done = run(binary, "10")
    assert (done.code, done.err) == (1, "nbody: momentum or energy is not conserved\n")


@pytest.mark.parametrize("level", ["-O2", "-O3"])
@pytest.mark.parametrize("slots", [1, 8])
@pytest.mark.parametrize("additions", [0, 1, 2, 1000, 1001])
def test_stack_split_adds_up_what_it_says(build, level, slots, additions) -> None:
    total, position = sum_and_position(run(build("stack_split", level, f"-DSLOTS={slots}"), str(additions)))
    assert total == slots * sum(range(additions + 1))
    assert position.slots == slots


def test_stack_split_without_flags_is_for_lines_of_64_bytes_and_pages_of_4096(build) -> None:
    _, position = sum_and_position(run(build("stack_split", "-O2"), "--where"))
    assert (position.slots, position.line, position.page) == (8, 64, 4096)


@pytest.mark.parametrize("arguments", [(), ("1", "2"), ("",), ("-1",), ("1x",), ("x",), ("--were",), (" 1",)])
def test_stack_split_refuses_what_is_no_number_of_additions(build, arguments) -> None:
    assert run(build("stack_split", "-O2"), *arguments) == (
        2,
        "",
        "usage: stack_split ADDITIONS | --where\n",
    )


@pytest.mark.parametrize("arguments", [(), ("1", "2"), ("",), ("-1",), ("1x",), ("x",)])
def test_nbody_refuses_what_is_no_number_of_steps(build, arguments) -> None:
    assert run(build("nbody", "-O2"), *arguments) == (2, "", "usage: nbody STEPS\n")


@pytest.mark.parametrize(
    ("level", "slots", "line"), [("-O2", 1, 64), ("-O3", 8, 64), ("-O2", 8, 64), ("-O2", 8, 128)]
)
def test_the_environment_moves_the_slots_across_lines_and_pages_in_the_shares_stated(
    build, randomisation_off, level, slots, line
) -> None:
    page = 4096
    binary = build("stack_split", level, f"-DSLOTS={slots}", f"-DLINE={line}")
    positions = [in_context(binary, "--where", env_bytes)[1] for env_bytes in range(0, page, STEP)]

    # Once round the page: every place that is 12 (mod 16), each once, downwards as the environment grows.
    assert sorted(p.offset_in_page for p in positions) == list(range(12, page, STEP))
    falls = {(a.offset_in_page - b.offset_in_page) % page for a, b in pairwise(positions)}
    assert falls == {STEP}

    for position in positions:
        assert position.offset_in_line == position.offset_in_page % line
        addresses = [position.offset_in_page + k * 3 * line for k in range(slots)]
        bytes_of = [range(address, address + 8) for address in addresses]
        assert position.across_line == sum(b[0] // line != b[-1] // line for b in bytes_of)
        assert position.across_page == sum(b[0] // page != b[-1] // page for b in bytes_of)

    # All slots across a line or none; a share of 16 / LINE, and of 16 SLOTS / PAGE for pages.
    assert {p.across_line for p in positions} == {0, slots}
    assert {p.across_page for p in positions} == {0, 1}
    assert sum(p.across_line > 0 for p in positions) == len(positions) * STEP // line
    assert sum(p.across_page > 0 for p in positions) == slots


def test_the_stack_moves_in_steps_of_16_bytes_of_environment(build, randomisation_off) -> None:
    binary = build("stack_split", "-O2")
    offsets = [in_context(binary, "--where", env_bytes)[1].offset_in_page for env_bytes in range(64)]
    steps = [(a - b) % 4096 for a, b in pairwise(offsets)]
    moves = [i for i, step in enumerate(steps) if step]
    assert {steps[i] for i in moves} == {STEP}
    assert {b - a for a, b in pairwise(moves)} == {STEP}


def test_where_tells_the_place_of_a_run_with_an_argument_of_the_same_length(build, randomisation_off) -> None:
    binary = build("stack_split", "-O2")
    number = "0002000"
    assert len(number) == len("--where")
    for env_bytes in range(0, 128, STEP):
        total, running = in_context(binary, number, env_bytes)
        assert total == 8 * sum(range(2001))
        assert running == in_context(binary, "--where", env_bytes)[1]
