"""What is built, once for what the build names."""

from __future__ import annotations

import os
import shutil
import subprocess
from itertools import product

import pytest

from steelyard.core.errors import ProgramError

PROGRAM = """
#include <stdio.h>
int main(void) { printf("%d %s\\n", LEVEL, WHERE); return 0; }
"""


COMPILE = (
    "cc",
    "-{opt}",
    "-DLEVEL={level}",
    '-DWHERE="{build}"',
    "-o",
    "{build}/program",
    "{source}/program.c",
)


def test_a_real_program_is_built_once_for_each_combination_that_the_build_names(workshop):
    workshop.write("program.c", PROGRAM)
    builder = workshop.builder(*COMPILE, inputs=())
    levels = [{"opt": o, "level": v, "n": n} for o, v, n in product(("O1", "O2"), (1, 2), (10, 20))]
    built = [builder.build(item) for item in levels]
    assert builder.factors == {"opt", "level"}
    assert len({element.directory for element in built}) == 4
    for element, expected in zip(built, levels, strict=True):
        printed = subprocess.run(
            [element.directory / "program"], capture_output=True, text=True, check=True
        ).stdout
        assert printed == f"{expected['level']} {element.directory}\n"
        assert element.levels == {"opt": expected["opt"], "level": expected["level"]}


def test_all_directories_have_paths_of_one_length(workshop):
    workshop.write("x", "")
    builder = workshop.shell("echo {x} > {build}/f")
    directories = [builder.build({"x": x}).directory for x in ("", "a", "a" * 1000, 7)]
    assert len(set(directories)) == 4
    assert {len(os.fsencode(directory)) for directory in directories} == {len(str(workshop.cache)) + 1 + 16}


def test_factors_in_the_environment_of_a_build_count_too(workshop):
    workshop.write("x", "")
    builder = workshop.shell("echo $FLAGS > {build}/f", env={"FLAGS": "-{opt} {{kept}}"})
    built = [builder.build({"opt": opt}) for opt in ("O2", "O3", "O2")]
    assert [(item.directory / "f").read_text() for item in built] == [
        "-O2 {kept}\n",
        "-O3 {kept}\n",
        "-O2 {kept}\n",
    ]
    assert workshop.builds == 2


def test_a_second_run_finds_what_the_first_built(workshop):
    workshop.write("x", "")
    first = workshop.shell("cp x {build}").build({})
    second = workshop.shell("cp x {build}").build({})
    assert (first.fresh, first.reason) == (True, "not built before")
    assert (second.fresh, second.reason) == (False, None)
    assert second.directory == first.directory
    assert workshop.builds == 1


def test_within_one_run_a_program_stays_what_it_was(workshop):
    workshop.write("x", "one")
    builder = workshop.shell("cp x {build}")
    first = builder.build({})
    workshop.write("x", "two")
    assert builder.build({}) is first


@pytest.mark.parametrize("change", ["content", "new file", "renamed", "deleted", "made executable"])
def test_a_change_of_an_input_builds_again_and_back_is_found(workshop, change):
    path = workshop.write("x", "one")
    workshop.write("y", "")
    before = workshop.shell("echo > {build}/f").build({})
    changes = {
        "content": lambda: path.write_text("two"),
        "new file": lambda: workshop.write("z", ""),
        "renamed": lambda: path.rename(path.with_name("w")),
        "deleted": path.unlink,
        "made executable": lambda: path.chmod(0o755),
    }
    changes[change]()
    after = workshop.shell("echo > {build}/f").build({})
    assert after.fresh
    assert after.directory != before.directory
    if change == "content":
        path.write_text("one")
        assert workshop.shell("echo > {build}/f").build({}).directory == before.directory
        assert workshop.builds == 2


def test_a_build_that_writes_among_its_inputs_is_refused(workshop):
    workshop.write("x", "")
    builder = workshop.shell("for i in 1 2 3 4 5; do echo > {source}/made$i; done; echo > {build}/f")
    with pytest.raises(ProgramError) as caught:
        builder.build({})
    assert caught.value.message == "inputs changed while the build ran: made1, made2, made3 and 2 more"
    assert "leave them out of inputs" in caught.value.hint
    assert workshop.shell("echo > {source}/made1; echo > {build}/f", inputs=("x",)).build({}).fresh


def test_an_input_that_changed_while_it_was_built_is_refused_and_nothing_is_kept(workshop):
    path = workshop.write("x", "one")
    script = "cp x {build}; test -e ../edited || {{ touch ../edited; echo two > x; }}"
    with pytest.raises(ProgramError, match="inputs changed while the build ran: x"):
        workshop.shell(script).build({})
    path.write_text("one")
    assert workshop.shell(script).build({}).fresh


def test_a_file_that_the_command_names_is_an_input_without_being_listed(workshop):
    workshop.write("program.c", "int main(void) { return 0; }")
    workshop.write("unnamed.c", "")
    command = ("cc", "-o", "{build}/program", "program.c")
    assert workshop.builder(*command, inputs=()).build({}).fresh
    workshop.write("unnamed.c", "changed")
    assert not workshop.builder(*command, inputs=()).build({}).fresh
    workshop.write("program.c", "int main(void) { return 1; }")
    assert workshop.builder(*command, inputs=()).build({}).fresh


def test_another_command_environment_or_tool_builds_again(workshop):
    workshop.write("x", "")
    tool = workshop.write("tool.sh", "#!/bin/sh\necho > $1/f\n", mode=0o755)
    base = {"inputs": ("x",)}
    keys = {
        workshop.builder("{source}/tool.sh", "{build}", **base).build({}).key,
        workshop.builder("{source}/tool.sh", "{build}", "more", **base).build({}).key,
        workshop.builder("{source}/tool.sh", "{build}", env={"A": "1"}, **base).build({}).key,
        workshop.builder("{source}/tool.sh", "{build}", env={"A": "2"}, **base).build({}).key,
    }
    tool.write_text("#!/bin/sh\necho > $1/g\n")
    keys.add(workshop.builder("{source}/tool.sh", "{build}", **base).build({}).key)
    assert len(keys) == 5


def test_a_copy_of_the_source_elsewhere_is_built_for_itself(workshop, tmp_path):
    workshop.write("x", "")
    keys = {workshop.builder("sh", "-c", "pwd > {build}/where").build({}).key}
    shutil.copytree(workshop.source, tmp_path / "moved")
    workshop.source = tmp_path / "moved"
    keys.add(workshop.builder("sh", "-c", "pwd > {build}/where").build({}).key)
    assert len(keys) == 2


def test_another_cpu_builds_again(workshop, monkeypatch):
    workshop.write("x", "")
    key = workshop.shell("echo > {build}/f").build({}).key
    monkeypatch.setattr("steelyard.run.build.recipe.machine", lambda: "x86_64 Another CPU")
    assert workshop.shell("echo > {build}/f").build({}).key != key


def test_a_compiler_that_a_variable_chooses_is_part_of_the_key(workshop):
    workshop.write("x", "")
    compiler = workshop.write("../mycc", "#!/bin/sh\n", mode=0o755)
    first = workshop.shell("echo > {build}/f", env={"CC": f"{compiler} -m64"}).build({}).key
    compiler.write_text("#!/bin/sh\n# a newer one\n")
    assert workshop.shell("echo > {build}/f", env={"CC": f"{compiler} -m64"}).build({}).key != first


def test_values_of_the_callers_environment_are_neither_given_nor_kept(workshop, monkeypatch):
    planted = "planted-77fe"
    workshop.write("x", "")
    monkeypatch.setenv("SECRET", planted)
    monkeypatch.setenv("HOME", f"/{planted}")
    built = workshop.shell("env | cut -d= -f1 | sort > {build}/names").build({})
    assert "SECRET" not in (built.directory / "names").read_text().split()
    assert {"HOME", "PATH"} <= set((built.directory / "names").read_text().split())
    files = [path for path in workshop.cache.rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert not [path for path in files if planted.encode() in path.read_bytes()]


def test_levels_reach_no_shell_and_no_path(workshop):
    workshop.write("x", "")
    escaped = workshop.source.parent / "escaped"
    level = f"../../'; touch {escaped}; echo '/\N{GRINNING FACE}\n"
    builder = workshop.builder("/bin/sh", "-c", 'printf %s "$1" > {build}/f', "sh", "{level}")
    built = builder.build({"level": level})
    assert (built.directory / "f").read_text() == level
    assert built.directory.parent == workshop.cache
    assert not escaped.exists()


def test_a_program_of_the_source_is_found_from_there(workshop):
    workshop.write("build.sh", "#!/bin/sh\npwd > $1/where\n", mode=0o755)
    built = workshop.builder("./build.sh", "{build}").build({})
    assert (built.directory / "where").read_text() == f"{workshop.source}\n"


def test_the_builds_own_path_is_where_its_tools_are_found(workshop):
    workshop.write("bin/tool", "#!/bin/sh\necho 1 > $1/f\n", mode=0o755)
    builder = workshop.builder("tool", "{build}", env={"PATH": "{source}/bin:/usr/bin:/bin"})
    assert (builder.build({}).directory / "f").read_text() == "1\n"
