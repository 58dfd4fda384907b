"""What callgrind counts; the witness is a program that calls a function as often as it says."""

from __future__ import annotations

import shutil

import pytest

from steelyard.extensions.explain.callgrind import read_callgrind
from steelyard.extensions.explain.counting import add_counts, count
from steelyard.extensions.explain.request import ExplainRequest

# After the example of valgrind's manual, with compressed names and positions.
FILE = """\
# callgrind format
version: 1
positions: line
events: Ir
ob=(1) /opt/prog
fl=(1) file1.c
fn=(1) main
16 20
cfn=(2) func1
calls=1 50
16 400
cfi=(2) file2.c
cob=(2) /usr/lib/libc.so.6
cfn=(3) func2
calls=3 20
16 400

fn=(2)
51 100
cfn=(3)
calls=2 20
+1 300

ob=(2)
fl=(2)
fn=(3)
20 700
totals: 820
"""


def test_own_instructions_and_calls_are_those_of_each_function():
    counts = {(c.name, c.object_file): (c.instructions, c.calls) for c in read_callgrind(FILE.splitlines())}
    assert counts["main", "/opt/prog"] == (20, 0)
    assert counts["func1", "/opt/prog"] == (100, 1)
    assert counts["func2", "/usr/lib/libc.so.6"] == (700, 3)


def test_both_programs_are_counted_and_a_function_is_called_as_often_as_it_is(compiled, tmp_path):
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed: apt-get install valgrind")
    old, new = compiled("old"), compiled("new", times=2)
    count(ExplainRequest(old=(str(old),), new=(str(new),)), tmp_path, lambda _: None)
    from explanations import contribution, explanation

    answer = add_counts(
        explanation(old=str(old), new=str(new), contributions=(contribution("parse", 0.1),)), tmp_path
    )
    counts = answer.contributions[0].counts
    assert (counts.old_calls, counts.new_calls) == (20, 20)
    assert counts.new_instructions == pytest.approx(2 * counts.old_instructions, rel=0.001)
