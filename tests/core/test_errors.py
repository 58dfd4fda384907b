from __future__ import annotations

import copy
import pickle
import traceback

import pytest

from steelyard.core import errors
from steelyard.core.errors import SteelyardError

TREE = {
    "UsageError": ("SteelyardError", 2),
    "SpecError": ("UsageError", 2),
    "RecordError": ("SteelyardError", 2),
    "RecordBusyError": ("RecordError", 2),
    "MachineError": ("SteelyardError", 4),
    "ProgramError": ("SteelyardError", 5),
    "NoReportError": ("SteelyardError", 7),
    "InterruptedRunError": ("SteelyardError", 130),
}


def test_the_tree_is_whole_and_each_kind_has_its_exit_code():
    result = {
        name: (item.__mro__[1].__name__, item.exit_code)
        for name, item in vars(errors).items()
        if isinstance(item, type) and issubclass(item, SteelyardError) and item is not SteelyardError
    }
    assert result == TREE


def test_the_tree_is_drawn_as_it_is():
    drawn = errors.__doc__
    for name, (parent, code) in TREE.items():
        (line,) = [line for line in drawn.splitlines() if f"── {name} " in line]
        assert f" {code} " in line
        depth = 0 if parent == "SteelyardError" else 1
        assert line.index("──") == 5 + 4 * depth


@pytest.mark.parametrize("name", TREE)
def test_an_error_says_what_is_wrong_and_what_cures_it(name):
    error = getattr(errors, name)("the file is empty", hint="write a line")
    assert (error.message, error.hint, str(error)) == (
        "the file is empty",
        "write a line",
        "the file is empty",
    )


@pytest.mark.parametrize("name", TREE)
def test_a_traceback_ends_with_the_hint_once(name):
    error = getattr(errors, name)("the file is empty", hint="write a line")
    for copied in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301 - our own bytes
        text = "".join(traceback.format_exception(copied))
        assert text.endswith(f"{name}: the file is empty\nhint: write a line\n")
        assert text.count("hint:") == 1


def test_a_traceback_without_a_hint_has_no_note():
    assert "hint" not in "".join(traceback.format_exception(SteelyardError("it is wrong")))


def test_a_hint_may_be_missing():
    assert SteelyardError("it is wrong").hint is None


def test_an_error_explains_itself_with_its_hint_where_it_has_one():
    assert (
        SteelyardError("it is broken", hint="mend it").explain() == "error: it is broken\n\nhint: mend it\n"
    )
    assert SteelyardError("it is broken").explain() == "error: it is broken\n"
