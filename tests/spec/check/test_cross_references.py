from __future__ import annotations

import pytest

from steelyard.spec.experiment import Factor

ONE = "[factors]\nn = [1, 2]\n"


@pytest.mark.parametrize(
    "program",
    [
        'command = ["p", "{n}"]',
        'command = ["p-{n}"]',
        'commands = { a = ["p"], b = ["p", "{n}"] }',
        'command = ["p"]\nenv = { N = "{n}" }',
        'command = ["p"]\ncwd = "run/{n}"',
        'command = ["p"]\nstdin = "{n}.txt"',
        'command = ["p"]\nprepare = ["make", "{n}"]',
        'command = ["p"]\ncleanup = [["a"], ["rm", "{n}"]]',
        'shell = true\ncommand = "p {n}"',
        'command = ["{build}/p"]\n[build]\ncommand = ["make", "N={n}"]',
        'command = ["{build}/p"]\n[build]\ncommand = ["make"]\nenv = { N = "{n}" }',
        'command = ["p"]\n[metrics]\nm = { derive = "n * wall_s" }',
    ],
)
def test_a_factor_is_used_wherever_it_changes_something(read, program):
    assert Factor("n", (1, 2)) in read(f"[program]\n{program}\n{ONE}").factors


@pytest.mark.parametrize("text", ["{source}/x", "{build}/x", "{trial}", "{command}", "a{{b}}c", "{{n}}{n}"])
def test_a_trial_knows_its_source_build_number_and_levels(read, text):
    program = f'[program]\ncommands = {{ a = ["p", "{text}"], b = ["p", "{{n}}"] }}\n'
    assert read(f'{program}[build]\ncommand = ["make"]\n{ONE}').program.commands["a"][1] == text


@pytest.mark.parametrize("key", ["setup_once", "cleanup_once", "before_block", "after_block"])
def test_what_all_treatments_share_knows_the_source_only(read, refused, key):
    def text(name):
        head = '[program]\ncommand = ["p", "{n}", "{build}"]\n'
        return f'{head}{key} = ["x", "{{{name}}}"]\n[build]\ncommand = ["m"]\n{ONE}'

    assert getattr(read(text("source")).program, key) == (("x", "{source}"),)
    message, hint = refused(text("n"))
    assert message == f"program.{key}: {{n}} has several levels, and this runs once for all treatments"
    assert hint == "use prepare or cleanup, which run for each trial"
    for name in ("trial", "build"):
        message, hint = refused(text(name))
        assert message == f"program.{key}: {{{name}}} has no value here: this runs for all trials together"
        assert hint == f"remove {{{name}}}"


def test_an_intervention_needs_no_placeholder(read):
    assert read('[factors]\naslr = ["on", "off"]').factors[0].intervention


def test_a_variable_that_an_intervention_sets_cannot_be_set_as_well(refused, read):
    text = '[program]\ncommand = ["p"]\nenv = {{ OMP_PLACES = "cores" }}\n{}'
    message, hint = refused(text.format('[factors]\naffinity = ["none", "compact"]'))
    assert message == "program.env.OMP_PLACES: affinity sets OMP_PLACES itself"
    assert hint == "leave OMP_PLACES out here, or do without affinity"
    refused(text.format('[contexts]\naffinity = "random"'))
    assert read(text.format("")).program.env == {"OMP_PLACES": "cores"}


def test_a_level_with_spaces_stays_one_word(read):
    experiment = read('[program]\ncommand = ["p", "--flags={f}"]\n[factors]\nf = ["-O2 -g", "-O3"]')
    assert experiment.program.commands[""] == ("p", "--flags={f}")


def test_a_level_that_a_shell_command_cannot_quote_is_seen_before_anything_runs(refused, read):
    text = "[program]\nshell = true\ncommand = '''sh -c \"p {x}\"'''\n[factors]\nx = [\"plain\", %s]"
    assert read(text % '"also-plain"').program.shell
    message, hint = refused(text % '"$(rm -rf /)"')
    assert message.startswith("program.command: {x} stands inside quotes of a shell command, where")
    assert hint.startswith("put {x} outside of the quotes")
