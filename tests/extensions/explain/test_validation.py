"""``--validate``: which objects can be tested, and how often a verdict about one is wrong."""

from __future__ import annotations

import subprocess

import msgspec
import numpy as np
import pytest
from explanations import contribution, explanation
from scipy import stats

from steelyard.core.errors import MachineError, RecordError
from steelyard.extensions.explain.linking import copy_objects, read_linking
from steelyard.extensions.explain.request import NEW, OLD, ExplainRequest
from steelyard.extensions.explain.validation import (
    FILE_OF_TESTS,
    Trial,
    add_validations,
    judge_undone,
    list_trials,
    refuse_untestable,
    validate,
)
from steelyard.results.interval import Interval

MAIN = '#include <stdio.h>\nint f(int); int g(int);\nint main(void) { printf("%d\\n", f(1) + g(1)); }\n'
LINK = "cc {objects} -o {program}"


def compile_side(directory, **sources):
    directory.mkdir()
    for name, text in sources.items():
        (directory / f"{name}.c").write_text(text)
        words = ["cc", "-O1", "-c", str(directory / f"{name}.c"), "-o", str(directory / f"{name}.o")]
        subprocess.run(words, check=True)
    return str(directory)


def linking_of(tmp_path, old, new):
    both = {"main": MAIN, "g": "int g(int x) { return x; }\n"}
    places = (
        compile_side(tmp_path / "old", **both | old),
        compile_side(tmp_path / "new", **both | new),
    )
    return read_linking(places, LINK)


def list_tested(tmp_path, linking, *names):
    """Trials as the record keeps them, after those that can be linked were tried."""
    directory = tmp_path / "x.lab"
    directory.mkdir()
    objects = tmp_path / "objects"
    copy_objects(linking, {OLD: linking.old, NEW: linking.new}, objects)
    request = ExplainRequest(old=("./p",), new=("./p",), blocks=12, linking=linking)
    named = explanation(contributions=tuple(contribution(name, 0.05) for name in names))
    validate(request, named, objects, directory, watch=lambda _: None, tell=lambda _: None)
    return msgspec.json.decode((directory / FILE_OF_TESTS).read_bytes(), type=list[Trial])


def test_a_function_is_tested_by_the_object_that_defines_it(tmp_path):
    linking = linking_of(
        tmp_path, {"f": "int f(int x) { return x; }\n"}, {"f": "int f(int x) { return x + 0 * x; }\nint y;\n"}
    )
    (trial,) = list_trials([contribution("f", 0.05)], linking)
    assert trial == Trial("f.o", ("f",))


@pytest.mark.parametrize(
    ("name", "fields", "reason"),
    [
        ("memcpy", {"place": "libc"}, "it is in libc, which is not linked"),
        ("absent", {}, "no object defines it"),
        ("g", {}, "both programs have the same object"),
        ("new_one", {}, "only NEW has this object"),
        ("twice", {}, "2 objects define it (a.o, b.o)"),
    ],
)
def test_a_function_that_no_object_sets_apart_has_its_reason(tmp_path, name, fields, reason):
    f = {
        "f": "int f(int x) { return x; }\n",
        "a": "static int twice(int x) { return 7 * x; }\nint (*a)(int) = twice;\n",
        "b": "static int twice(int x) { return 9 * x; }\nint (*b)(int) = twice;\n",
    }
    linking = linking_of(tmp_path, f, f | {"more": "int new_one(int x) { return 2 * x; }\n"})
    (trial,) = list_trials([contribution(name, 0.05, **fields)], linking)
    assert not trial.arm
    assert reason in trial.reason


def test_objects_that_can_be_tested_come_first_and_three_of_each_at_most(tmp_path):
    f = {"f": "int f(int x) { return x; }\n"}
    linking = linking_of(tmp_path, f, {"f": "int f(int x) { return x; }\nint y;\n"})
    libraries = [contribution(f"h{i}", 0.05, place=f"lib{i}") for i in range(5)]
    trials = list_trials([*libraries, contribution("f", 0.01)], linking)
    assert [trial.object for trial in trials] == ["f.o", "lib0", "lib1", "lib2"]


def test_without_nm_nothing_is_begun(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="nm, which is not found") as caught:
        refuse_untestable()
    assert caught.value.hint == "apt-get install binutils"


def test_functions_of_one_name_are_told_apart_by_their_source_file(tmp_path):
    f = {
        "f": "int f(int x) { return x; }\n",
        "a": "static int twice(int x) { return 7 * x; }\nint (*a)(int) = twice;\n",
    }
    new = {"b": "static int twice(int x) { return 9 * x; }\nint (*b)(int) = twice;\n"}
    linking = linking_of(tmp_path, f | {"b": "int b;\n"}, f | new)
    (trial,) = list_trials([contribution("twice", 0.05, file="src/b.c")], linking)
    assert trial == Trial("b.o", ("twice",))


def test_an_object_without_what_new_calls_is_not_separable(tmp_path):
    old = {"f": "int f(int x) { return x; }\n"}
    new = {"f": "int helper(void) { return 0; }\nint f(int x) { return x + helper(); }\n"}
    new |= {"main": MAIN.replace("int g", "int helper(void); int g").replace("f(1)", "f(1) + helper()")}
    (trial,) = list_tested(tmp_path, linking_of(tmp_path, old, new), "f")
    assert trial.reason.startswith("NEW does not link with it: ")
    assert "helper" in trial.reason


def test_an_object_of_another_interface_is_not_measured(tmp_path):
    old = {"f": "int f(int x) { return x; }\n"}
    new = {"f": "int f(int x) { return x - 40; }\n", "main": MAIN.replace("f(1)", "40 + f(1)")}
    (trial,) = list_tested(tmp_path, linking_of(tmp_path, old, new), "f")
    assert trial.reason.startswith("NEW prints something else with it")
    crash = MAIN.replace("printf", "if (f(1) == 1) return 3; printf")
    (trial,) = list_tested(tmp_path / "b", linking_of(make(tmp_path / "b"), old, new | {"main": crash}), "f")
    assert trial.reason.startswith("NEW ends with exit code 3 with it")


def make(directory):
    directory.mkdir()
    return directory


def test_a_damaged_list_of_tests_is_an_error_with_a_cure(tmp_path):
    (tmp_path / FILE_OF_TESTS).write_text("[{}]")
    with pytest.raises(RecordError, match="is damaged") as caught:
        add_validations(explanation(), tmp_path)
    assert caught.value.hint == "remove it, or validate again"


@pytest.mark.parametrize(
    ("undone", "said", "verdict"),
    [
        ((0.03, 0.05), (0.035, 0.045), "confirmed"),
        ((-0.001, 0.001), (0.035, 0.045), "refuted"),
        ((0.01, 0.03), (0.035, 0.045), "not_resolved"),
        ((-0.05, -0.03), (-0.045, -0.035), "confirmed"),
        ((0.03, 0.05), (-0.045, -0.035), "refuted"),
        ((-0.001, 0.001), (0.0, 0.045), "not_resolved"),
    ],
)
def test_a_verdict_needs_both_intervals(undone, said, verdict):
    assert judge_undone(Interval(*undone), Interval(*said)) == verdict


def test_a_verdict_without_a_spread_is_not_resolved():
    assert judge_undone(None, Interval(0.01, 0.02)) == "not_resolved"


def intervals(draw, mean, sd, blocks, runs):
    """Student's 95 % intervals of means, by SciPy."""
    values = draw.normal(mean, sd, (runs, blocks))
    half = stats.t.ppf(0.975, blocks - 1) * values.std(axis=1, ddof=1) / blocks**0.5
    means = values.mean(axis=1)
    return [Interval(*ends) for ends in zip(means - half, means + half, strict=True)]


@pytest.mark.parametrize("blocks", [12, 20])
def test_where_half_of_it_goes_either_verdict_is_wrong_in_5_percent_at_most(blocks):
    draw = np.random.default_rng(66)
    runs, truth = 2_000, 0.04
    for noise in (0.002, 0.01, 0.03):
        undone = intervals(draw, truth / 2, noise, blocks, runs)
        said = intervals(draw, truth, noise, blocks, runs)
        wrong = sum(judge_undone(*pair) != "not_resolved" for pair in zip(undone, said, strict=True))
        assert wrong / runs <= 0.05


def test_a_true_contribution_is_confirmed_and_a_false_one_refuted():
    draw = np.random.default_rng(67)
    said = intervals(draw, 0.04, 0.01, 20, 500)
    whole = [judge_undone(*pair) for pair in zip(intervals(draw, 0.04, 0.01, 20, 500), said, strict=True)]
    none = [judge_undone(*pair) for pair in zip(intervals(draw, 0.0, 0.01, 20, 500), said, strict=True)]
    assert whole.count("confirmed") > 450 < none.count("refuted")
    assert whole.count("refuted") == none.count("confirmed") == 0
