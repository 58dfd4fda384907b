"""``contexts="layout"``: builds that differ by padding alone, of a program whose address sets its cost."""

from __future__ import annotations

import msgspec
import pytest

from steelyard.core.errors import UsageError
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.compare.compare import CompareRequest
from steelyard.lab.run.run import run
from steelyard.spec import experiment
from steelyard.spec.experiment import UserMetric
from steelyard.store import Record

BLOCKS = 24
COST = UserMetric("cost", source="stdout", pattern="cost=([0-9.]+)", better="lower")

pytestmark = pytest.mark.usefixtures("compiler", "fixed_addresses")


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A program whose cost is 5 % more where its kernel begins in the second half of a cache line. With
    ``-DPAD``, 32 bytes stand before the kernel, which does the same; with ``-DSLOW``, it costs 20 % more.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "kernel.c").write_text(
        '#ifdef PAD\n__asm__(".text\\n.skip 32\\n");\n#endif\nint kernel(void) { return 0; }\n'
    )
    (tmp_path / "main.c").write_text(
        "#include <stdint.h>\n#include <stdio.h>\n#ifdef SLOW\n#define COST 120\n#else\n#define COST 100\n"
        "#endif\nint kernel(void);\nint main(void) { int half = (uintptr_t)&kernel % 64 >= 32;\n"
        'printf("cost=%d\\n", COST * (half ? 21 : 20)); return kernel(); }\n'
    )
    (tmp_path / "other.c").write_text("int other(void) { return 1; }\n")
    return tmp_path


def comparing(contexts, *flags, **keys):
    return CompareRequest(
        commands=("{build}/prog",),
        parameters={"flag": ("-DPLAIN", *flags)},
        build="cc -O1 {flag} {objects} -o {build}/prog",
        objects=("main.c", "kernel.c", "other.c"),
        contexts=contexts,
        blocks=BLOCKS,
        rel_halfwidth=None,
        discard=0,
        **keys,
    )


def judged(asked, directory, **contexts):
    asked = msgspec.structs.replace(
        asked, metrics=(COST,), analysis=msgspec.structs.replace(asked.analysis, metric="cost")
    )
    if contexts:
        held = msgspec.structs.replace(asked.contexts, settings={**asked.contexts.settings, **contexts})
        asked = msgspec.structs.replace(asked, contexts=held)
    run(asked, directory)
    with Record.open(directory) as record:
        answer = analyze(record)
        costs = {
            sample.treatment.levels["flag"]: [float(value) for value in sample.values]
            for sample in record.samples("cost")
        }
    (result,) = answer.judged
    return result, costs, answer


def test_padding_alone_differs_in_one_layout_and_not_over_drawn_ones(sources):
    request = comparing("layout", "-DPAD")
    _, held, _ = judged(request.experiment(), sources / "one.lab", code=0)
    assert len(set(held["-DPLAIN"])) == len(set(held["-DPAD"])) == 1
    assert set(held["-DPLAIN"]) != set(held["-DPAD"]), "5 % between two builds, whatever else is drawn"
    result, drawn, answer = judged(request.experiment(), sources / "drawn.lab")
    assert set(drawn["-DPLAIN"]) == set(drawn["-DPAD"]) == {2000.0, 2100.0}
    assert result.verdict == "not_resolved"
    assert answer.design.code_varied


def test_a_program_that_is_slower_in_every_layout_is_still_called_slower(sources):
    result, _, _ = judged(comparing("layout", "-DSLOW").experiment(), sources / "slow.lab")
    assert result.verdict == "slower"


def test_both_arms_of_a_block_have_the_layout_of_the_block(sources):
    spec_ = comparing("layout", "-DOTHER").experiment()
    _, costs, _ = judged(spec_, sources / "same.lab")
    assert costs["-DPLAIN"] == costs["-DOTHER"]


def test_objects_of_two_trees_are_compared(sources):
    for tree in ("old", "new"):
        (sources / tree).mkdir()
        for name in ("main.c", "kernel.c"):
            (sources / tree / name).write_text((sources / name).read_text())
    spec_ = CompareRequest(
        commands=("{build}/prog", "{build}/prog"),
        names=("old", "new"),
        build="cc {objects} -o {build}/prog",
        objects=("{command}/main.c", "{command}/kernel.c"),
        contexts="layout",
        blocks=2,
        rel_halfwidth=None,
        discard=0,
    ).experiment()
    assert set(spec_.build.inputs) == {
        f"{tree}/{name}.c" for tree in ("old", "new") for name in ("main", "kernel")
    }
    run(spec_, sources / "trees.lab")
    with Record.open(sources / "trees.lab") as record:
        assert record.progress().trials == 4


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"contexts": "layout"}, "needs build (which links the program)"),
        ({"build": "cc {objects} -o {build}/p"}, "and build needs it"),
        ({"contexts": "layout", "build": "cc a.c -o {build}/p"}, "does not name {objects} and {build}"),
    ],
)
def test_layouts_without_a_build_and_the_reverse_are_refused(keys, message):
    with pytest.raises(UsageError) as caught:
        CompareRequest(commands=("./a",), objects=("a.c",), **keys).experiment()
    assert message in caught.value.message
    assert 'contexts="layout"' in caught.value.hint


@pytest.mark.parametrize("part", ["link_order", "padding"])
def test_code_and_a_part_of_it_are_not_drawn_beside_each_other(tmp_path, part):
    with pytest.raises(UsageError, match=f"{part} is drawn by code"):
        experiment(
            source=tmp_path,
            program={"command": ["{build}/p"]},
            build={"command": ["cc", "{padding_file}", "{objects}"], "objects": ["a.c", "b.c"]},
            contexts={"code": "random", part: "random"},
        )
