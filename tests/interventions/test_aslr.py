from __future__ import annotations

import platform
import shutil
import subprocess
import sys

import pytest

from steelyard.core.errors import UsageError
from steelyard.interventions.aslr import ADDR_NO_RANDOMIZE, Aslr
from steelyard.interventions.launch_change import LaunchChange

MISSING = "from steelyard.interventions import INTERVENTIONS as i; print(i['aslr'].missing({level!r}))"

REFUSE_PERSONALITY = """
import ctypes, errno

class Filter(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32)
    ]

class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_uint16), ("filter", ctypes.POINTER(Filter))]

# personality (135 on x86-64) is allowed as a question (0xffffffff) only, as container runtimes have it.
filters = (Filter * 6)(
    Filter(0x20, 0, 0, 0), Filter(0x15, 0, 2, 135),
    Filter(0x20, 0, 0, 16), Filter(0x15, 0, 1, 0xFFFFFFFF),
    Filter(0x06, 0, 0, 0x7FFF0000), Filter(0x06, 0, 0, 0x00050000 | errno.EPERM),
)
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Program(6, filters)), 0, 0) == 0, ctypes.get_errno()
"""


def answer(code, *prefix):
    return subprocess.run(
        [*prefix, sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def randomising(tmp_path):
    def system(setting):
        path = tmp_path / "randomize_va_space"
        path.write_text(f"{setting}\n")
        return Aslr(path)

    return system


def test_truth_is_understood_as_on_and_off():
    assert [Aslr().check(level) for level in ("on", "off", True, False)] == ["on", "off", "on", "off"]


@pytest.mark.parametrize("level", ["ON", "", 1, 0, "random"])
def test_other_levels_are_refused(level):
    with pytest.raises(UsageError, match="is not a level of aslr"):
        Aslr().check(level)


def test_off_is_a_change_of_the_child_and_on_is_none():
    assert Aslr().change("off") == LaunchChange(aslr_off=True)
    assert Aslr().change("on") == LaunchChange()


def test_on_is_missing_where_the_system_has_it_off(randomising):
    system = randomising(0)
    assert system.missing("on") == f"this system has address randomisation off ({system.setting} is 0)"
    assert system.missing("off") is None


def test_asking_leaves_the_personality_of_this_process_as_it_was():
    code = (
        "from steelyard.interventions.aslr import Aslr, _read_personality as p; from pathlib import Path\n"
        "a = p(0xffffffff); Aslr(Path('/nowhere')).missing('off'); print(p(0xffffffff) == a)"
    )
    assert answer(code) == "True"


@pytest.mark.skipif(shutil.which("setarch") is None, reason="setarch (util-linux) is not here")
def test_on_is_missing_where_this_process_was_itself_started_without_it():
    code = MISSING.format(level="on")
    if answer(MISSING.format(level="off")) != "None":
        pytest.skip("this machine refuses to switch address randomisation off")
    assert "started without address randomisation" in answer(code, "setarch", platform.machine(), "-R")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the filter of this test is for x86-64")
def test_off_is_missing_where_a_filter_refuses_the_personality():
    result = answer(REFUSE_PERSONALITY + MISSING.format(level="off"))
    if "address randomisation off (" in result and "is 0" in result:
        pytest.skip("this system has address randomisation off")
    assert result == (
        "the kernel refuses to switch address randomisation off (Operation not permitted);"
        " the seccomp filter of a container does that"
    )


@pytest.mark.skipif(shutil.which("setarch") is None, reason="setarch (util-linux) is not here")
def test_the_flag_is_the_one_that_setarch_sets():
    if answer(MISSING.format(level="off")) != "None":
        pytest.skip("this machine refuses to switch address randomisation off")
    output = subprocess.check_output(["setarch", platform.machine(), "-R", "cat", "/proc/self/personality"])
    assert int(output, 16) & ADDR_NO_RANDOMIZE == ADDR_NO_RANDOMIZE
    assert ADDR_NO_RANDOMIZE.bit_count() == 1
