"""Link orders and paddings: another program for each level, known by its key, and code that really moves."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise

import pytest

from steelyard.core.errors import MachineError, SpecError
from steelyard.run.build.recipe import PADDING_FILE

NAMES = ("main", "one", "two", "three")


@pytest.fixture
def four_parts(workshop):
    """Four files, each with a function and a table of its own."""
    for name in NAMES:
        body = f"int table_{name}[64] = {{1}}; int part_{name}(void) {{ return table_{name}[0]; }}\n"
        workshop.write(f"{name}.c", body + ("int main(void) { return 0; }\n" if name == "main" else ""))
    return workshop


def addresses(built):
    """Symbol to address, of the parts and their tables."""
    listed = subprocess.run(
        ["nm", built.directory / "program"], capture_output=True, text=True, check=True
    ).stdout
    return {
        name: int(address, 16) for address, name in re.findall(r"(\w+) [TD] ((?:part|table)_\w+)", listed)
    }


def linking(workshop, *words, **options):
    return workshop.builder(
        "cc",
        "-O1",
        *words,
        "{objects}",
        "-o",
        "{build}/program",
        objects=tuple(f"{name}.c" for name in NAMES),
        inputs=("*.c",),
        **options,
    )


def order_of(built):
    result = addresses(built)
    return sorted(NAMES, key=lambda name: result[f"part_{name}"])


def test_the_objects_are_linked_as_written_at_level_0_and_in_another_order_at_others(four_parts):
    builder = linking(four_parts)
    assert builder.factors == {"link_order", "code"}
    assert order_of(builder.build({"link_order": 0})) == list(NAMES)
    orders = {tuple(order_of(builder.build({"link_order": level}))) for level in range(1, 9)}
    assert len(orders) > 4


def test_an_order_follows_from_its_number_alone(four_parts):
    first, again = (linking(four_parts).build({"link_order": 5}) for _ in range(2))
    assert first.directory == again.directory
    assert (first.fresh, again.fresh) == (True, False)


def test_a_build_that_names_objects_and_no_order_links_them_as_written(four_parts):
    assert order_of(linking(four_parts).build({})) == list(NAMES)


def test_within_a_word_the_objects_stand_with_blanks_between(workshop):
    workshop.write("x", "")
    builder = workshop.builder(
        "/bin/sh", "-c", "echo {objects} $LIST > {build}/f", objects=("b", "a"), env={"LIST": "<{objects}>"}
    )
    built = builder.build({"link_order": 0})
    assert (built.directory / "f").read_text() == "b a <b a>\n"


def test_padding_moves_code_and_data_by_its_bytes(four_parts):
    builder = linking(four_parts, "{padding_file}")
    assert builder.factors == {"link_order", "padding", "code"}
    plain, moved = (addresses(builder.build({"padding": level})) for level in (0, 1024))
    assert {moved[name] - plain[name] for name in plain} == {1024}


def test_a_padded_program_has_no_stack_that_can_be_executed(four_parts):
    built = linking(four_parts, "{padding_file}").build({"padding": 64})
    listed = subprocess.run(
        ["readelf", "-lW", built.directory / "program"], capture_output=True, text=True, check=True
    ).stdout
    (flags,) = re.findall(r"GNU_STACK.*? (R\w*) ", listed)
    assert "E" not in flags


def test_the_number_of_a_padding_can_be_used_without_its_file(workshop):
    workshop.write("x", "")
    builder = workshop.builder("/bin/sh", "-c", "echo {padding} {link_order} > {build}/f")
    built = builder.build({"padding": 48, "link_order": 7})
    assert (built.directory / "f").read_text() == "48 7\n"
    assert not (built.directory / PADDING_FILE).exists()


def test_a_linker_that_is_not_there_is_missed_before_anything_is_built(four_parts):
    with pytest.raises(MachineError, match=r"the linker ld\.nosuch is not found") as caught:
        linking(four_parts, "-fuse-ld=nosuch").build({"link_order": 1})
    assert "nosuch" in caught.value.hint


@pytest.mark.skipif(shutil.which("ld.lld") is None, reason="the linker lld is not here")
def test_lld_shuffles_sections_by_the_number(four_parts):
    builder = linking(
        four_parts, "-fuse-ld=lld", "-ffunction-sections", "-Wl,--shuffle-sections=.text*={link_order}"
    )
    assert len({tuple(order_of(builder.build({"link_order": level}))) for level in range(1, 9)}) > 2


def test_an_order_of_objects_that_are_not_there_is_a_failed_build(workshop):
    with pytest.raises(SpecError):
        linking(workshop).build({"link_order": 1})


def test_code_draws_the_order_and_moves_objects_against_each_other(four_parts):
    builder = linking(four_parts)
    assert "code" in builder.factors
    assert addresses(builder.build({"code": 0})) == addresses(builder.build({}))
    result = [addresses(builder.build({"code": level})) for level in range(1, 9)]
    assert len({tuple(sorted(NAMES, key=lambda name: levels[f"part_{name}"])) for levels in result}) > 4
    # Without padding, distances follow from the sizes of the parts, which are alike.
    steps = {
        abs(levels[f"part_{first}"] - levels[f"part_{second}"]) % 64
        for levels in result
        for first, second in pairwise(NAMES)
    }
    assert len(steps) > 2
    assert len({levels["table_one"] % 4096 for levels in result}) > 4, "data moves too"


def test_code_pads_functions_of_one_file_where_the_compiler_is_told(workshop):
    workshop.write("x", "")
    builder = workshop.builder(
        "/bin/sh", "-c", "echo {function_padding} {link_order} {padding} > {build}/f", inputs=("x",)
    )
    texts = [(builder.build({"code": level}).directory / "f").read_text().split() for level in (0, 5, 6)]
    assert texts[0] == ["0", "0", "0"]
    assert [text[1] for text in texts[1:]] == ["5", "6"]
    assert all(0 <= int(text[0]) <= 63 for text in texts)
    assert texts[1][0] != texts[2][0]


def test_functions_of_one_file_move_against_each_other_under_the_flag_of_compilers(four_parts):
    four_parts.write(
        "main.c",
        "int part_a(void) { return 1; } int part_b(void) { return 2; }\nint main(void) { return 0; }\n",
    )
    builder = linking(four_parts, "-fpatchable-function-entry={function_padding},{function_padding}")
    apart = set()
    for level in range(1, 5):
        result = addresses(builder.build({"code": level}))
        apart.add(result["part_b"] - result["part_a"])
    assert len(apart) > 1


def test_a_layout_follows_from_its_number_alone(four_parts):
    first, again, changed = (linking(four_parts).build({"code": level}) for level in (5, 5, 6))
    assert first.key == again.key != changed.key
