from __future__ import annotations

import pytest

from steelyard.core.errors import SpecError
from steelyard.spec.experiment import Build, Program, Verify


def test_a_list_is_a_command_word_by_word(read):
    assert read('[program]\ncommand = ["prog", "a b", ""]').program == Program(
        commands={"": ("prog", "a b", "")}
    )


def test_named_commands_are_kept_by_name_and_make_a_factor(read):
    experiment = read('[program]\ncommands = { old = ["a"], "new one" = ["b", "-x"] }')
    assert experiment.program.commands == {"old": ("a",), "new one": ("b", "-x")}
    assert [(f.name, f.levels) for f in experiment.factors] == [("command", ("old", "new one"))]


def test_a_text_is_a_command_for_the_shell_when_one_is_asked_for(read):
    program = read('[program]\nshell = true\ncommand = "a | b"').program
    assert (program.shell, program.commands) == (True, {"": ("a | b",)})


def test_limits_and_what_is_apart_from_this_machine_are_read(read):
    text = """
    [program]
    command = ["prog"]
    cpu_limit = "2 min"
    memory_limit = "512 MB"
    isolate = true
    network = false
    """
    program = read(text).program
    assert (program.cpu_limit_s, program.memory_limit_bytes) == (120.0, 512_000_000)
    assert (program.isolate, program.network, program.has_limits) == (True, False, True)
    plain = read('[program]\ncommand = ["prog"]').program
    assert (plain.isolate, plain.network, plain.has_limits) == (False, True, False)


@pytest.mark.parametrize("size", ['"1 B"', '"512 mb"', "-1", '"2000 PiB"'])
def test_a_limit_of_memory_that_is_none_is_refused(read, size):
    with pytest.raises(SpecError, match="memory_limit"):
        read(f'[program]\ncommand = ["prog"]\nmemory_limit = {size}')


@pytest.mark.parametrize(
    "line", ['cpu_limit = "1 s"', 'memory_limit = "1 GB"', "isolate = true", "network = false"]
)
def test_limits_are_refused_for_programs_that_something_else_starts(read, line):
    with pytest.raises(SpecError, match=f"{line.split()[0]} holds for programs that this machine starts"):
        read(f'[program]\ncommand = ["prog"]\n{line}\n[launch]\nkind = "mpi"\nranks = 2')


def test_everything_of_a_program_is_read(read):
    text = """
    [program]
    command = ["prog"]
    env = { A = "1", B = 2, C = true, D = 0.5 }
    inherit = true
    cwd = "run"
    stdin = "in.txt"
    output = "null"
    prepare = ["sync"]
    cleanup = [["rm", "-f", "x"], ["sync"]]
    setup_once = ["a"]
    cleanup_once = ["b"]
    before_block = ["c"]
    after_block = ["d"]
    timeout = "1.5 min"
    hook_timeout = "20 s"
    nice = -5
    counters = ["instructions", "cycles:u"]
    verify = { exit = "any", files = { "out.bin" = "f…" } }
    """.replace("f…", 64 * "f")
    assert read(text).program == Program(
        commands={"": ("prog",)},
        env={"A": "1", "B": "2", "C": "true", "D": "0.5"},
        inherit=True,
        cwd="run",
        stdin="in.txt",
        output="null",
        prepare=(("sync",),),
        cleanup=(("rm", "-f", "x"), ("sync",)),
        setup_once=(("a",),),
        cleanup_once=(("b",),),
        before_block=(("c",),),
        after_block=(("d",),),
        timeout_s=90.0,
        hook_timeout_s=20.0,
        nice=-5,
        counters=("instructions", "cycles:u"),
        verify=Verify(exit="any", files={"out.bin": 64 * "f"}),
    )


def test_everything_of_a_build_is_read(read):
    text = """
    [program]
    command = ["{build}/x"]
    [build]
    command = ["make", "OUT={build}"]
    inputs = ["src/**/*.c"]
    env = { JOBS = 2 }
    timeout = 90
    """
    assert read(text).build == Build(("make", "OUT={build}"), ("src/**/*.c",), {"JOBS": "2"}, 90.0)


def test_outputs_are_verified_by_pattern_and_exit_code(read):
    program = read('[program]\ncommand = ["p"]\nverify = { exit = 3, stdout = "ok$", stderr = "^$" }').program
    assert program.verify == Verify(exit=3, stdout="ok$", stderr="^$")
