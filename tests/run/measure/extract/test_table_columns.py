"""Configurations in a table that a program prints are labels; lines that only count are iterations."""

from __future__ import annotations

import pytest

from steelyard.run.measure.measurement import Value
from steelyard.spec.experiment import UserMetric

HPL = b"""\
T/V                N    NB     P     Q               Time                 Gflops
--------------------------------------------------------------------------------
WR11C2R4       60000    64     4     4             684.41         2.1040e+02
WR11C2R4       60000   128     4     4             493.49         2.9180e+02
"""
GFLOPS = UserMetric(
    "gflops", source="stdout", pattern=r"WR\S+\s+\d+\s+\d+\s+\d+\s+\d+\s+\S+\s+(\S+)", better="higher"
)
LAST = UserMetric("t", source="stdout", pattern=r"^.*\s([0-9.]+)$")


def test_lines_of_a_table_are_told_apart_by_the_columns_in_which_they_differ(extracting):
    assert extracting(GFLOPS).values(HPL) == (
        Value("gflops", 210.4, 0, {"NB": 64}),
        Value("gflops", 291.8, 0, {"NB": 128}),
    )


def test_repeated_configurations_are_iterations_of_each(extracting):
    values = extracting(GFLOPS).values(HPL + HPL)
    assert [(value.labels["NB"], value.i) for value in values] == [(64, 0), (64, 1), (128, 0), (128, 1)]


def test_titles_of_several_words_are_told_apart_by_two_blanks(extracting):
    text = b"# Size          Latency (us)\n1                       1.50\n64                      2.50\n"
    assert [dict(value.labels) for value in extracting(LAST).values(text)] == [{"Size": 1}, {"Size": 64}]


@pytest.mark.parametrize(
    "text",
    [
        b"Iter Inner Time\n1 3 0.5\n2 5 0.6\n3 3 0.7\n",  # numbered lines
        b"Inner Time\n3 0.5\n5 0.6\n3 0.7\n",  # counts
        b"3 0.5\n5 0.6\n",  # no header
        b"Residual Time\n1.5 0.5\n2.5 0.6\n",  # no whole numbers
        b"N Time\n64 0.5\n128 a 0.6\n",  # another table
        b"N Time\n64 0.5\n",  # one line
    ],
    ids=["numbered", "counts", "no header", "fractions", "ragged", "one line"],
)
def test_other_lines_are_iterations(extracting, text):
    assert {tuple(value.labels) for value in extracting(LAST).values(text)} == {()}


def test_named_groups_are_labels_and_the_number_is_the_first_without_a_name(extracting):
    metric = UserMetric("t", source="stdout", pattern=r"(?P<op>\w+) n=(?P<n>\d+): (\S+)")
    assert extracting(metric).values(b"get n=64: 1.5\nput n=007: 2.5\nget n=64: 3.5\n") == (
        Value("t", 1.5, 0, {"n": 64, "op": "get"}),
        Value("t", 3.5, 1, {"n": 64, "op": "get"}),
        Value("t", 2.5, 0, {"n": "007", "op": "put"}),
    )


def test_the_number_may_be_the_group_value_or_the_only_one(extracting):
    metric = UserMetric("t", source="stdout", pattern=r"(?P<value>\S+) s for (?P<op>\w+)")
    assert extracting(metric).values(b"1.5 s for get\n") == (Value("t", 1.5, 0, {"op": "get"}),)
    alone = UserMetric("t", source="stdout", pattern=r"(?P<rate>\S+) s")
    assert extracting(alone).values(b"1.5 s\n") == (Value("t", 1.5),)
