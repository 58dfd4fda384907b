"""Objects of OLD in NEW: which can be tested, and why others cannot."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import pytest
from explanations import contribution, explanation

from steelyard.core.errors import MachineError
from steelyard.extensions.explain.linking import copy_objects, read_linking
from steelyard.extensions.explain.object_replacement import ObjectReplacement, refuse_untestable
from steelyard.extensions.explain.request import NEW, OLD, ExplainRequest
from steelyard.extensions.explain.validation import FILE_OF_TESTS, Trial, validate

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


def list_trials(linking, *named):
    """Trials of these contributions, before anything is linked."""
    request = ExplainRequest(old=("./p",), new=("./p",), blocks=12, linking=linking)
    return ObjectReplacement(request, linking, Path("objects")).list_trials(named)


def list_tested(tmp_path, linking, *named):
    """Trials as the record keeps them, after those that can be linked were tried."""
    directory = tmp_path / "x.lab"
    directory.mkdir()
    objects = tmp_path / "objects"
    copy_objects(linking, {OLD: linking.old, NEW: linking.new}, objects)
    request = ExplainRequest(old=("./p",), new=("./p",), blocks=12, linking=linking)
    answer = explanation(contributions=named)
    replacement = ObjectReplacement(request, linking, objects)
    validate(replacement, answer, directory, watch=lambda _: None, tell=lambda _: None)
    return msgspec.json.decode((directory / FILE_OF_TESTS).read_bytes(), type=list[Trial])


def test_a_function_is_tested_by_the_object_that_defines_it(tmp_path):
    linking = linking_of(
        tmp_path, {"f": "int f(int x) { return x; }\n"}, {"f": "int f(int x) { return x + 0 * x; }\nint y;\n"}
    )
    (trial,) = list_trials(linking, contribution("f", 0.05))
    assert trial == Trial("f.o", ("f",))


@pytest.mark.parametrize(
    ("name", "fields", "reason"),
    [
        ("memcpy", {"place": "libc"}, "it is in libc, which is not linked"),
        ("absent", {}, "no object defines it"),
        ("g", {}, "both programs have the same object"),
        ("new_one", {}, "only the new program has this object"),
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
    (trial,) = list_trials(linking, contribution(name, 0.05, **fields))
    assert not trial.arm
    assert reason in trial.reason


def test_of_objects_that_cannot_be_tested_three_are_said(tmp_path):
    f = {"f": "int f(int x) { return x; }\n"}
    linking = linking_of(tmp_path, f, {"f": "int f(int x) { return x; }\nint y;\n"})
    named = [contribution(f"h{i}", 0.05, place=f"lib{i}") for i in range(5)]
    named.append(contribution("f", 0.01))
    trials = list_tested(tmp_path, linking, *named)
    assert [trial.object for trial in trials] == ["f.o", "lib0", "lib1", "lib2"]
    assert trials[0].arm


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
    (trial,) = list_trials(linking, contribution("twice", 0.05, file="src/b.c"))
    assert trial == Trial("b.o", ("twice",))


def test_an_object_without_what_new_calls_is_not_separable(tmp_path):
    old = {"f": "int f(int x) { return x; }\n"}
    new = {"f": "int helper(void) { return 0; }\nint f(int x) { return x + helper(); }\n"}
    new |= {"main": MAIN.replace("int g", "int helper(void); int g").replace("f(1)", "f(1) + helper()")}
    (trial,) = list_tested(tmp_path, linking_of(tmp_path, old, new), contribution("f", 0.05))
    assert trial.reason.startswith("the new program does not link with it: ")
    assert "helper" in trial.reason


def test_an_object_of_another_interface_is_not_measured(tmp_path):
    old = {"f": "int f(int x) { return x; }\n"}
    new = {"f": "int f(int x) { return x - 40; }\n", "main": MAIN.replace("f(1)", "40 + f(1)")}
    (trial,) = list_tested(tmp_path, linking_of(tmp_path, old, new), contribution("f", 0.05))
    assert trial.reason.startswith("the new program then prints something else")
    crash = MAIN.replace("printf", "if (f(1) == 1) return 3; printf")
    (trial,) = list_tested(
        tmp_path / "b", linking_of(make(tmp_path / "b"), old, new | {"main": crash}), contribution("f", 0.05)
    )
    assert trial.reason.startswith("the new program then ends with exit code 3")


def make(directory):
    directory.mkdir()
    return directory
