from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from steelyard.run.build.toolchain import machine, tools

PATH = {"PATH": os.environ["PATH"]}


def words(command: list[str], env: dict[str, str] | None = None) -> dict[str, str]:
    return {
        tool.word.decode(): tool.path.decode() for tool in tools(command, {**PATH, **(env or {})}, Path("/"))
    }


def test_the_first_word_and_the_usual_compilers_are_tools_by_their_resolved_path():
    result = words(["make", "all"])
    assert result["make"] == os.path.realpath(shutil.which("make"))
    assert result["cc"] == os.path.realpath(shutil.which("cc"))


def test_a_tool_is_identified_by_its_contents():
    tool = next(tool for tool in tools(["make"], PATH, Path("/")) if tool.word == b"make")
    assert tool.sha256 == hashlib.sha256(Path(os.fsdecode(tool.path)).read_bytes()).hexdigest()


def test_tools_that_variables_choose_are_tools_and_other_variables_are_not():
    result = words(
        ["make", "CC=env -i", "OUT=ls", "CXX=", "AS=no-such-tool"], {"LD": "true", "EDITOR": "cat"}
    )
    assert {"env", "true"} <= result.keys()
    assert not {"ls", "cat", "no-such-tool"} & result.keys()


def test_compilers_that_are_not_installed_are_left_out():
    assert set(words(["/bin/true"], {"PATH": "/nowhere"})) == {"/bin/true"}


def test_the_machine_is_told_by_what_march_native_depends_on(tmp_path):
    (tmp_path / "proc").mkdir()
    cpuinfo = tmp_path / "proc/cpuinfo"
    result = set()
    for text in (
        "model name\t: A\nflags\t: fpu sse2\ncpu MHz\t: 1000\n",
        "model name\t: A\nflags\t: fpu sse2\ncpu MHz\t: 2000\n",
        "model name\t: A\nflags\t: fpu sse2 avx512f\n",
        "model name\t: B\nflags\t: fpu sse2\n",
        "CPU part\t: 0xd0c\nFeatures\t: fp asimd\n",
        "CPU part\t: 0xd0c\nFeatures\t: fp asimd sve\n",
    ):
        cpuinfo.write_text(text)
        result.add(machine(tmp_path))
    assert len(result) == 5
