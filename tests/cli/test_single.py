"""No command drops an option that is given twice: it takes both, or names both and refuses."""

from __future__ import annotations

import json

import click
import pytest

from steelyard.cli import cli
from steelyard.cli.single import SingleOption
from steelyard.core.errors import UsageError


def walk(command, *names):
    """Every command with the words that call it."""
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            yield from walk(command.get_command(click.Context(command), name), *names, name)
    yield names, command


COMMANDS = dict(walk(cli))
OPTIONS = {
    f"{' '.join(names)} {option.opts[-1]}": (names, command, option)
    for names, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, click.Option) and not option.is_eager
}
VALUES = {click.Choice: lambda kind: kind.choices, click.IntRange: lambda _: ("5", "7")}


def values(option):
    """Two values of an option, each as the words of a command line."""
    if option.is_flag:
        return ((), ())
    texts = VALUES.get(type(option.type), lambda _: ("0.25", "0.5"))(option.type)
    return [(text,) * option.nargs for text in (texts[0], texts[-1])]


@pytest.mark.extensions("exchange", "gate", "growth", "ratchet")
def test_the_walk_has_every_command():
    assert {("compare",), ("gate",), ("ratchet", "try"), ("import",), ("model",)} <= COMMANDS.keys()
    assert len(OPTIONS) > 200


@pytest.mark.parametrize("case", OPTIONS)
def test_an_option_given_twice_is_taken_twice_or_refused_with_both_values(case):
    _, command, option = OPTIONS[case]
    first, second = values(option)
    words = [option.opts[0], *first, option.opts[-1], *second]
    # The class alone, since other options and arguments are missing: what is parsed is what is asked for.
    parser = command.make_parser(context := click.Context(command, info_name="it"))
    inputs, _, _ = parser.parse_args(args=words)
    if option.multiple:
        assert len(inputs[option.name]) == 2
        return
    assert isinstance(option, SingleOption), "declare it by cli/declared.py"
    with pytest.raises(UsageError) as caught:
        option.handle_parse_result(context, inputs, [])
    assert f"{max(option.opts, key=len)} is given twice" in caught.value.message
    assert all(text in caught.value.message for text in (*first, *second))


@pytest.mark.extensions("gate", "growth")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", "-r", "3", "--runs", "5", "true"), "--runs is given twice: 3 and 5"),
        (("compare", "--json", "--json", "true"), "--json is given twice"),
        (("compare", "-S", "bash", "--shell", "sh -e", "true"), "--shell is given twice: bash and 'sh -e'"),
        (("gate", "--seed", "1", "--seed=2", "--seed", "3"), "--seed is given 3 times: 1, 2 and 3"),
        (("check", "a.toml", "--junit", "a", "--junit", "b"), "--junit is given twice: a and b"),
        (("model", "a.csv", "--unit", "s", "--unit", "ms"), "--unit is given twice: s and ms"),
        (("analyze", "a.lab", "--by", "host", "--by", "record"), "--by is given twice: host and record"),
    ],
)
def test_both_values_are_named_before_anything_runs(steelyard_cli, words, message):
    done = steelyard_cli(*words)
    assert done.returncode == 2
    assert done.stderr == f"error: {message}\n\nhint: give it once\n"


ROWS = "p,time,bytes\n" + "".join(f"{p},{3 * p},{p * p}\n" for p in (16, 32, 64, 128, 256, 512))
COLUMNS = ("--value", "time", "--parameter", "p")


@pytest.mark.extensions("growth")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--at", "p=8", "--at", "p=16"), "--at says 8 and 16 of p"),
        (("--at", "p=8,p=16"), "--at says 8 and 16 of p"),
        (("--at-most", "O(p)", "--at-most", "O(p^2)"), "--at-most says O(p) and O(p^2) of all functions"),
        (("--expect", "a=O(p)", "--expect", "a=O(1)"), "--expect says O(p) and O(1) of a"),
        (("--along", "n=p", "--along", "n=q"), "--along says p and q of n"),
    ],
)
def test_a_name_with_two_values_among_repeated_options_is_refused(steelyard_cli, tmp_path, words, message):
    (tmp_path / "d.csv").write_text(ROWS)
    done = steelyard_cli("model", "d.csv", *COLUMNS, *words)
    assert (done.returncode, done.stderr.partition("\n")[0]) == (2, f"error: {message}")


def test_two_variables_of_one_name_are_refused_with_how_both_are_compared(steelyard_cli):
    done = steelyard_cli("compare", "--env", "A=1 A=2", "true")
    assert (done.returncode, done.stderr.partition("\n")[0]) == (2, "error: --env sets A to '1' and to '2'")
    assert done.stderr.endswith("hint: to compare both: -L value 1,2 --env 'A={value}'\n")


@pytest.mark.extensions("growth")
def test_each_of_two_metrics_of_a_table_is_modelled(steelyard_cli, tmp_path):
    (tmp_path / "d.csv").write_text(ROWS)
    done = steelyard_cli("model", "d.csv", *COLUMNS, "--value", "bytes", "--json")
    assert done.returncode == 0, done.stderr
    growths = {model["metric"]: model["growth"] for model in json.loads(done.stdout)["models"]}
    assert growths == {"time": "O(p)", "bytes": "O(p^2)"}
    refused = steelyard_cli("model", "d.csv", *COLUMNS, "--value", "bytes", "--u", "bytes")
    assert "error: --u is about one --value, and there are 2" in refused.stderr


def test_a_limit_of_time_ends_an_exact_number_of_runs(steelyard_cli):
    done = steelyard_cli("compare", "-r", "1000000", "--max-time", "2 s", "--json", "true")
    assert done.returncode == 0, done.stderr
    design = json.loads(done.stdout)["design"]
    assert design["state"] == "precision_not_reached"
    assert 0 < design["blocks"] < 1_000_000


def test_an_exact_number_of_runs_within_the_limit_of_time_is_complete(steelyard_cli):
    done = steelyard_cli("compare", "-r", "3", "--max-time", "10 min", "--json", "true")
    assert json.loads(done.stdout)["design"]["state"] == "complete"


def test_two_pieces_of_the_configuration_are_refused(steelyard_cli):
    done = steelyard_cli("config", "--cmake", "--include")
    assert (done.returncode, done.stderr.partition(":")[2]) == (
        2,
        " --include and --cmake: one is printed\n\nhint: leave one of them out\n",
    )


def test_what_stands_behind_dashes_is_no_option_of_ours(steelyard_cli, tmp_path):
    done = steelyard_cli("compare", "-r", "2", "-w", "0", "--", "echo --json", "echo --json")
    assert done.returncode == 0, done.stderr
