"""One declaration an option: click's parameter, the value of the body, and the field of a request."""

from __future__ import annotations

import click
import msgspec
import pytest
from click.testing import CliRunner

from steelyard.cli.declared import Options, declare, declare_argument, take


class Weighing(Options):
    files: tuple[str, ...] = declare_argument("FILE...", nargs=-1)
    pans: int | None = declare("Number of pans.", "-p", least=2)
    least_g: float = declare("Smallest weight.", default=0.5, type=float)
    labels: tuple[str, ...] = declare("A label.", "--label", metavar="TEXT")
    quiet: bool = declare("Say nothing.", "-q", "quiet")


class Showing(Options):
    unit: str = declare("Unit of weights.", choices=("g", "kg"), default="g")


class Request(msgspec.Struct, frozen=True):
    files: tuple[str, ...]
    place: str
    pans: int = 3
    least_g: float = 0.1


@click.command()
@take(Weighing, Showing)
def weigh(weighing: Weighing, showing: Showing) -> tuple[Weighing, Showing]:
    """Weigh files."""
    return weighing, showing


def parse(*words):
    return weigh.main(words, standalone_mode=False)


def run(*words):
    return CliRunner().invoke(weigh, words)


def test_the_values_of_each_class_arrive_under_the_names_of_its_attributes():
    weighing, showing = parse("a", "b", "-p", "4", "--label", "x", "--label", "y", "-q", "--unit", "kg")
    assert weighing.files == ("a", "b")
    assert (weighing.pans, weighing.least_g, weighing.labels) == (4, 0.5, ("x", "y"))
    assert weighing.quiet
    assert vars(showing) == {"unit": "kg"}


def test_a_request_gets_options_by_name_and_keeps_the_other_defaults():
    weighing, _ = parse("a", "--least-g", "2")
    assert weighing.fill(Request, place="here") == Request(("a",), "here", 3, 2.0)


def test_the_help_has_the_options_in_the_order_of_the_classes_with_bounds():
    lines = run("--help").output.splitlines()
    assert lines[0] == "Usage: weigh [OPTIONS] FILE..."
    texts = [line.strip() for line in lines if line.lstrip().startswith("-")]
    assert [text.split("  ")[0] for text in texts] == [
        "-p, --pans N",
        "--least-g FLOAT",
        "--label TEXT",
        "-q",
        "--unit [g|kg]",
        "--help",
    ]
    assert "x>=2" in texts[0]
    assert "[default: 0.5]" in texts[1]


@pytest.mark.parametrize("words", [("-p", "1"), ("--unit", "lb"), ("--quiet",)])
def test_what_the_declaration_does_not_allow_is_refused(words):
    assert run(*words).exit_code == 2


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--cpu-limit", "0"], "error: --cpu-limit: '0' is not a time"),
        (["--max-time", "1 parsec"], "error: --max-time: '1 parsec' is not a time"),
        (["--memory-limit", "much"], "error: --memory-limit: 'much' is not a size"),
    ],
)
def test_a_value_that_cannot_be_read_is_refused_with_its_option(steelyard_cli, words, error):
    refused = steelyard_cli("compare", *words, "true", "true")
    assert refused.returncode == 2
    assert refused.stderr.startswith(error)
