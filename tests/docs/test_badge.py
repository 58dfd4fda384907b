"""The badge of README says what the table of benchmarks says."""

from __future__ import annotations

import pytest
from documentation.badge import PICTURE, draw, read_share

from docs import ROOT

TABLE = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")


def test_it_is_that_of_the_last_run_on_record():
    assert PICTURE.read_text(encoding="utf-8") == draw(read_share(TABLE))
    assert f"![mutants killed: {read_share(TABLE)} %](docs/pictures/mutants.svg)" in (
        ROOT / "README.md"
    ).read_text(encoding="utf-8")


def test_a_share_is_rounded_down_and_a_table_without_it_is_refused():
    assert read_share("| [mutation](m) | a | b | 999 of 1000 as drawn; c |") == 99
    with pytest.raises(LookupError, match="no row of mutation"):
        read_share("| [mutation](m) | a | b | all |")
