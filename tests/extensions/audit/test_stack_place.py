"""The place of the stack is told for the program by a start of the interpreter with as long strings."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from steelyard.core.errors import MachineError
from steelyard.extensions.audit.stack_place import StackSteps, find_shift, find_steps, read_place
from steelyard.files.system import PAGE_BYTES
from steelyard.interventions import INTERVENTIONS
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.runner import probe_launches

# The witness: what glibc's linker tells the program itself.
PLACE = r"""
#include <stdio.h>
extern void *__libc_stack_end;
int main(void) { printf("%lu", (unsigned long)__libc_stack_end % PAGE); return 0; }
"""


def place_at(steps, level):
    """Where the stack is after so many bytes of growth: 16 bytes lower for each step that is taken."""
    return (steps.place - 16 * ((level + 16 - steps.first) // 16)) % PAGE_BYTES


@pytest.mark.parametrize("first", [1, 7, 16])
@pytest.mark.parametrize("place", [0, 1600, PAGE_BYTES - 16])
def test_steps_are_found_wherever_they_begin(place, first):
    planted = StackSteps(place, first)
    steps = find_steps(partial(place_at, planted))
    assert steps == planted
    assert place_at(steps, first - 1) == place
    assert place_at(steps, first) == (place - 16) % PAGE_BYTES
    assert place_at(steps, PAGE_BYTES) == place


def test_a_stack_that_stands_still_is_refused():
    with pytest.raises(MachineError, match="does not move by 16 bytes"):
        find_steps(lambda level: 1600)


def test_a_shifted_length_has_the_stack_where_it_was_counted():
    for counted, timed in (
        (StackSteps(1600, 3), StackSteps(96, 16)),
        (StackSteps(0, 1), StackSteps(4080, 9)),
    ):
        offset = find_shift(counted, timed, PAGE_BYTES)
        assert 0 <= offset < PAGE_BYTES
        for level in range(64):
            assert place_at(timed, level + offset) == place_at(counted, level)


def test_the_interpreter_tells_where_the_stack_of_another_program_begins(tmp_path):
    if INTERVENTIONS["aslr"].missing("off"):
        pytest.skip("address randomisation cannot be switched off here")
    (tmp_path / "place.c").write_text(PLACE)
    subprocess.run(["cc", f"-DPAGE={PAGE_BYTES}", "-o", "place", "place.c"], cwd=tmp_path, check=True)
    path = str(tmp_path / "place")
    plain = Launch(path=path, argv=(path,), env=("A=1",), cwd=str(tmp_path), aslr_off=True)
    for strings in (("A=1",), ("A=1", "B=" + "x" * 37), ("A=1", *(f"C{i}=" for i in range(30)))):
        launch = replace(plain, env=strings, argv=(path, *("word",) * (len(strings) % 9)))
        (raw,) = probe_launches([launch])
        assert read_place(launch) == int(raw.stdout)


def test_an_interpreter_that_does_not_tell_is_an_error_with_a_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr("steelyard.extensions.audit.stack_place._READ", "print('nowhere')")
    path = str(Path("/bin/true").resolve())
    with pytest.raises(MachineError, match="it printed b'nowhere'") as caught:
        read_place(Launch(path=path, argv=(path,), env=(), cwd=str(tmp_path)))
    assert caught.value.hint == "audit without --counts"
