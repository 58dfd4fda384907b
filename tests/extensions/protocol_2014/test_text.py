"""Rows of the protocol's tables: of several factors, no two may read the same."""

from __future__ import annotations

import pytest
from answers import factors

from steelyard.core.analysis import Analysis
from steelyard.extensions.protocol_2014 import text as protocol
from steelyard.extensions.protocol_2014.results import NAME
from steelyard.report.text.line import plain


def rows_of(answer, width):
    heading, *rows = plain(protocol.pair_table(answer, width)).splitlines()
    end = heading.index("p Holm") if "test" not in heading else heading.index("test")
    return heading, [row[:end] for row in rows]


@pytest.mark.parametrize(
    ("width", "first"), [(60, "treatment against"), (80, "optimisation input_size threads against")]
)
def test_every_pair_of_a_factorial_reads_like_no_other(width, first):
    answer = factors.crossed(
        "full",
        "three factors",
        lambda cell: 1.0 + 0.1 * cell["optimisation"],
        declared=Analysis(family="all-pairs", protocol=NAME),
        optimisation=[2, 3],
        input_size=[1000, 2000],
        threads=[1, 2],
        blocks=6,
    )
    heading, rows = rows_of(answer, width)
    assert " ".join(heading.split()).startswith(first)
    assert len(set(rows)) == len(rows) == 28


def test_what_the_stratum_says_stands_once_and_a_level_under_the_name_of_its_factor():
    answer = factors.factors_with_the_same_levels_by_the_protocol()
    heading, rows = rows_of(answer, 120)
    assert heading.split()[:4] == ["ranks", "links_share", "hosts_share", "against"]
    assert rows[0].split() == ["2", "0", "2", "hosts_share=0"]
    assert len(set(rows)) == len(rows) == 12


def test_one_factor_beside_a_stratum_with_the_same_levels_is_named():
    answer = factors.crossed(
        "full",
        "two factors",
        lambda cell: 1.0 + 0.1 * cell["threads"],
        declared=Analysis(family="all-pairs", strata=("ranks",), protocol=NAME),
        ranks=[1, 2],
        threads=[1, 2],
        blocks=6,
    )
    heading, rows = rows_of(answer, 80)
    assert heading.split()[:3] == ["ranks", "threads", "against"]
    assert [row.split() for row in rows] == [["1", "2", "threads=1"], ["2", "2", "threads=1"]]
