"""Both arms of a block see the same stack, shown by a program that prints where its stack is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.errors import UsageError
from steelyard.run.launch.equal_context import AddedBytes, equalize
from steelyard.run.launch.launch import Launch

WHERE = r"""
#include <stdio.h>
int main(void) { char here; printf("%p\n", (void *)&here); return 0; }
"""

words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
launches = st.builds(
    lambda name, argv, env: Launch("/bin/" + name, (name, *argv), tuple("A=" + item for item in env), "/"),
    st.text("abcdefghij", min_size=1, max_size=30),
    st.lists(words, max_size=6),
    st.lists(words, max_size=6),
)


@pytest.fixture(scope="module")
def where(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("where")
    (directory / "where.c").write_text(WHERE)
    subprocess.run(["cc", "-O1", "-o", "where", "where.c"], cwd=directory, check=True)
    return directory / "where"


def copy(program: Path, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(program, path)
    return path


def stack_of(launch: Launch, run_one) -> str:
    raw = run_one(launch)
    assert raw.status == "ok", raw
    return raw.stdout.decode()


@pytest.fixture
def arms(where, tmp_path) -> dict[int, Launch]:
    """The same bytes under two paths, with arguments and environments of unequal number and length."""
    short = copy(where, tmp_path / "a")
    long = copy(where, tmp_path / "directories/with/a/much/longer/name" / "where-it-is-started-from")
    env = ("PATH=/usr/bin:/bin",)
    return {
        1: Launch(str(short), ("./a",), env, str(tmp_path), aslr_off=True),
        2: Launch(
            str(long),
            (str(long), "an argument", ""),
            (*env, "OMP_NUM_THREADS=2"),
            str(tmp_path),
            aslr_off=True,
        ),
    }


def test_the_same_program_under_two_paths_has_its_stack_at_one_address(arms, run_one):
    equal = equalize(arms, {})
    assert stack_of(arms[1], run_one) != stack_of(arms[2], run_one)
    assert stack_of(equal[1], run_one) == stack_of(equal[2], run_one)


@pytest.mark.parametrize("growth", [AddedBytes(argv0_bytes=64), AddedBytes(path_bytes=64)])
def test_a_longer_name_moves_the_stack_as_a_longer_environment_does(arms, run_one, growth):
    equal = equalize(arms, {1: AddedBytes(argv0_bytes=0) if growth.argv0_bytes else AddedBytes(), 2: growth})
    moved = int(stack_of(equal[1], run_one), 16) - int(stack_of(equal[2], run_one), 16)
    assert moved == 64


def test_a_path_longer_than_the_kernel_takes_is_refused_with_what_makes_it_so(arms):
    with pytest.raises(UsageError, match=r"would be \d,\d+ bytes long; Linux takes 4,095") as caught:
        equalize(arms, {1: AddedBytes(path_bytes=4090)})
    assert "stack_offset" in caught.value.hint


def test_growth_moves_the_stack_of_one_arm_by_that_much(arms, run_one):
    equal = equalize(arms, {2: AddedBytes(64)})
    moved = int(stack_of(equal[1], run_one), 16) - int(stack_of(equal[2], run_one), 16)
    assert moved == 64


def test_the_journal_proves_that_totals_are_equal(arms, run_one):
    raw = [run_one(launch) for launch in equalize(arms, {}).values()]
    assert raw[0].argv_bytes + raw[0].env_bytes == raw[1].argv_bytes + raw[1].env_bytes


def test_a_script_is_started_by_a_path_of_equal_length_which_replaces_its_name(tmp_path, run_one):
    scripts = {}
    for number, name in enumerate(("s", "a-script-with-a-longer-name"), 1):
        path = tmp_path / name
        path.write_text('#!/bin/sh\nprintf %s "$0" | wc -c\n')
        path.chmod(0o755)
        scripts[number] = Launch(str(path), (name,), ("PATH=/usr/bin:/bin",), str(tmp_path))
    lengths = {stack_of(launch, run_one).strip() for launch in equalize(scripts, {}).values()}
    assert len(lengths) == 1


@given(st.lists(launches, min_size=1, max_size=4), st.integers(0, 4096))
def test_paths_numbers_and_bytes_of_all_arms_are_equal_and_nothing_is_taken_away(given_launches, growth):
    before = dict(enumerate(given_launches))
    after = equalize(before, dict.fromkeys(before, AddedBytes(growth)))
    assert len({len(item.path) for item in after.values()}) == 1
    assert len({len(element.argv) + len(element.env) for element in after.values()}) == 1
    assert len({element.argv_bytes + element.env_bytes for element in after.values()}) == 1
    for key, launch in after.items():
        assert launch.path.lstrip("/") == before[key].path.lstrip("/")
        assert launch.argv == before[key].argv
        assert launch.env[: len(before[key].env)] == before[key].env


def test_padding_that_the_kernel_would_refuse_is_refused_with_its_length():
    arms = {
        1: Launch("/bin/true", ("true",), (), "/"),
        2: Launch("/bin/true", ("true", "x" * 100_000, "x" * 100_000), (), "/"),
    }
    with pytest.raises(UsageError, match=r"would need 199,\d+ bytes of padding"):
        equalize(arms, {})
