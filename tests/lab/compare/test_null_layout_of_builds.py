"""One source linked in two orders: both drawn anew in each block, or held in one context."""

from __future__ import annotations

import msgspec
import pytest

from steelyard.core.errors import UsageError
from steelyard.lab.compare.compare import CompareRequest
from steelyard.lab.compare.null import null
from steelyard.lab.compare.null_layout import built_layouts
from steelyard.lab.run.run import run
from steelyard.spec.experiment import UserMetric
from steelyard.store import Record

NAMES = ("main.c", "one.c", "two.c", "three.c", "four.c")
BUILD = "cc -no-pie {padding_file} {objects} -o {build}/where"

pytestmark = pytest.mark.usefixtures("compiler", "fixed_addresses")


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A program that prints how far its functions lie apart."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in NAMES[1:]:
        (tmp_path / name).write_text(f"int {name[:-2]}(void) {{ return 0; }}\n")
    (tmp_path / "main.c").write_text(
        "#include <stdio.h>\nint one(void), two(void);\n"
        'int main(void) { printf("at=%ld\\n", (long)&two - (long)&one + 100000); return 0; }\n'
    )
    return tmp_path


def comparing(build=BUILD, objects=NAMES, **keys):
    return CompareRequest(
        commands=("{build}/where {} {x}",),
        build=build,
        objects=objects,
        blocks=4,
        rel_halfwidth=None,
        discard=0,
        **keys,
    )


def distances(experiment, directory):
    where = UserMetric("at", source="stdout", pattern="at=([0-9]+)", better="neither")
    run(msgspec.structs.replace(experiment, metrics=(where,)), directory)
    with Record.open(directory) as record:
        return [list(sample.values) for sample in record.samples("at")]


def test_in_contexts_each_block_links_both_arms_anew_and_in_one_context_neither(sources):
    found = []
    held = []
    for number in (1, 2):
        ways = built_layouts(comparing(seed=3))(number, sources)
        found += distances(ways["contexts"], sources / f"{number}contexts.lab")
        held += distances(ways["one_context"], sources / f"{number}one.lab")
    assert all(len(set(arm)) == 1 for arm in held)
    assert any(len(set(arm)) > 1 for arm in found)
    # Arms have orders of their own: equal in all of eight blocks only if one were the other.
    assert found[0] != found[1] or found[2] != found[3]


def test_both_arms_of_a_context_are_shifted_alike(sources):
    contexts = built_layouts(comparing())(1, sources)["contexts"]
    assert contexts.contexts.settings == {"env_bytes": "random", "aslr": "off", "code": "random"}


def test_a_command_keeps_its_braces_but_for_build(sources):
    ways = built_layouts(comparing())(1, sources)
    for asked in ways.values():
        ((words),) = asked.program.commands.values()
        assert words == ("{build}/where", "{{}}", "{{x}}")


def test_a_comparison_follows_from_its_number_and_seed(sources):
    first, again = (built_layouts(comparing())(2, sources) for _ in range(2))
    assert first == again
    assert first != built_layouts(comparing())(3, sources)


@pytest.mark.parametrize(
    ("build", "objects", "told"),
    [
        ("cc a.c -o {build}/p", ("a.c", "b.c"), "does not name {objects} and {build}"),
        ("cc {objects} -o p", ("a.c", "b.c"), "does not name {objects} and {build}"),
        ("cc {objects} -o {build}/p", ("a.c",), "--objects names 1"),
        ("cc {objects} -o {build}/p", ("a.c", "a.c"), "--objects names 1"),
    ],
)
def test_what_has_no_two_orders_is_refused(build, objects, told):
    with pytest.raises(UsageError) as caught:
        built_layouts(comparing(build, objects))
    assert told in caught.value.message


def test_the_rates_are_told_as_of_link_orders(sources):
    result = null(
        "layout",
        comparing(),
        built_layouts(comparing()),
        comparisons=1,
        directory=sources / "null",
        keep=False,
        watch=lambda *_: None,
        built=True,
    )
    assert result.built
    assert [tally.comparisons for tally in result.tallies] == [1, 1]
