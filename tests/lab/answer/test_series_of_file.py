"""Files of series are read by whichever extension reads such files, and refused where none does."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from steelyard.core.errors import UsageError
from steelyard.lab.answer import series_of_file as module
from steelyard.lab.answer.series_of_file import ANY, RunChoice, holds_series, series_of_file


@pytest.fixture
def use(monkeypatch):
    """``use(NAME)``: the only readers there are, of which each holds directories of its name."""

    def use(*names):
        readers = {
            name: SimpleNamespace(
                holds=lambda directory, name=name: directory.name == name,
                read=lambda path, columns, choice, *, inclusive, name=name: (
                    name,
                    columns,
                    choice,
                    inclusive,
                ),
            )
            for name in names
        }
        monkeypatch.setitem(sys.modules, "readers", SimpleNamespace(**readers))
        entries = {name: f"readers:{name}" for name in names}
        monkeypatch.setattr(module, "list_series_readers", lambda: entries)

    return use


def test_a_directory_is_read_by_the_reader_that_holds_it_and_a_file_by_the_first(use, tmp_path):
    use("cube", "sheets")
    assert holds_series(tmp_path / "sheets")
    assert not holds_series(tmp_path / "a.lab")
    assert series_of_file(tmp_path / "sheets", inclusive=True) == ("sheets", None, ANY, True)
    choice = RunChoice(by=("size",))
    assert series_of_file(tmp_path / "a.csv", None, choice) == ("cube", None, choice, False)


def test_without_a_reader_no_directory_holds_series_and_a_file_is_refused(use, tmp_path):
    use()
    assert not holds_series(tmp_path)
    with pytest.raises(UsageError, match=r"a\.csv: no installed extension reads files of other tools"):
        series_of_file(tmp_path / "a.csv")
