"""One program under two random paths: Steelyard's way gives both the same stack, the plain way does not."""

from __future__ import annotations

import subprocess

import msgspec
import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.null.layout import PLACE, layouts
from steelyard.extensions.null.null import null
from steelyard.lab.compare.compare import CompareRequest
from steelyard.lab.run.run import run
from steelyard.spec.experiment import UserMetric
from steelyard.store import Record

needs_fixed_addresses = pytest.mark.usefixtures("fixed_addresses")


@pytest.fixture
def program(tmp_path, compiler):
    """Prints where a variable of its lies on the stack, within a page."""
    source = tmp_path / "where.c"
    source.write_text(
        "#include <stdint.h>\n#include <stdio.h>\n"
        'int main(void) { volatile int x = 0; printf("at=%u\\n", (unsigned)((uintptr_t)&x % 4096)); }\n'
    )
    subprocess.run([compiler, "-o", tmp_path / "where", source], check=True)
    return tmp_path / "where"


def comparing(program, **keys):
    return CompareRequest(commands=(f"{program} {{}}",), blocks=4, rel_halfwidth=None, **keys)


def addresses(experiment, directory):
    """Block by block, where the variable lay in each arm."""
    metric = UserMetric("at", source="stdout", pattern="at=([0-9]+)", better="neither")
    question = msgspec.structs.replace(experiment, metrics=(metric,))
    run(question, directory)
    with Record.open(directory) as record:
        return [sample.values for sample in record.samples("at")]


def test_both_arms_are_copies_under_names_of_random_length_with_the_same_arguments(tmp_path, program):
    question = comparing(program)
    lengths = set()
    for number in range(1, 6):
        place = tmp_path / str(number)
        place.mkdir()
        ways = layouts(question)(number, place)
        (factor,) = (item for item in ways["contexts"].factors if item.name == PLACE)
        for directory in factor.levels:
            assert (tmp_path / directory / program.name).read_bytes() == program.read_bytes()
            lengths.add(len(directory))
        ((words),) = ways["contexts"].program.commands.values()
        assert words == ("{layout_directory}/where", "{{}}")
    assert len(lengths) > 3


@needs_fixed_addresses
def test_equal_contexts_put_both_stacks_at_one_place_and_one_context_does_not(tmp_path, program):
    # With this seed the paths differ by 40 bytes: more than a step of the stack, less than a page.
    question = comparing(program, seed=1)
    place = tmp_path / "1"
    place.mkdir()
    ways = layouts(question)(1, place)
    first, second = addresses(ways["contexts"], tmp_path / "a.lab")
    assert list(first) == list(second)
    assert len(set(first)) > 1, "each block has a context of its own"
    first, second = addresses(ways["one_context"], tmp_path / "b.lab")
    assert len(set(first)) == len(set(second)) == 1, "all blocks have one context"
    assert set(first) != set(second)


@needs_fixed_addresses
def test_one_context_differs_by_the_bytes_that_the_paths_differ_by(tmp_path, program):
    place = tmp_path / "1"
    place.mkdir()
    context = layouts(comparing(program, seed=1))(1, place)["one_context"]
    run(context, tmp_path / "a.lab")
    with Record.open(tmp_path / "a.lab") as record:
        first, second = record.treatments
        lengths = [len(str(item.levels[PLACE])) for item in (first, second)]
        added = [int(element.levels["env_bytes"]) for element in (first, second)]
    assert min(added) == 0
    assert added[0] - added[1] == 2 * (lengths[0] - lengths[1])


@needs_fixed_addresses
def test_it_runs_as_a_null_and_leaves_no_copy(tmp_path):
    request = CompareRequest(commands=("true",), blocks=2, rel_halfwidth=None)
    result = null(
        "layout",
        request,
        layouts(request),
        comparisons=2,
        directory=tmp_path / "null",
        keep=False,
        watch=lambda *_: None,
    )
    assert [(tally.way, tally.comparisons) for tally in result.tallies] == [
        ("contexts", 2),
        ("one_context", 2),
    ]
    assert not (tmp_path / "null").exists()


def test_a_shell_has_no_program_to_copy():
    with pytest.raises(UsageError, match="which a shell's command is not"):
        layouts(CompareRequest(commands=("true",), shell="/bin/sh"))  # noqa: S604 -- which is refused


def test_a_program_that_is_not_there_is_said():
    with pytest.raises(UsageError, match="command not found: nowhere-at-all"):
        layouts(CompareRequest(commands=("nowhere-at-all",)))
