"""A kind of place that an extension adds is asked, and written, by the seam alone."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import made_up
import pytest

from steelyard.core.errors import UsageError
from steelyard.lab.places import asking, place
from steelyard.lab.places.asking import opened, write_records
from steelyard.lab.places.contents import Exported
from steelyard.lab.places.place import is_place
from steelyard.lab.summary.condensing import ignore_progress
from steelyard.store import Record


class Drawer:
    """Holds one record, in a directory whose name ends in ``.drawer``."""

    def holds(self, name):
        return Path(name).suffix == ".drawer"

    @contextmanager
    def open(self, name, by):
        with Record.open(Path(name) / "it.lab") as record:
            yield record

    def write(self, name, records, watch):
        return Exported(f"drawer {name}", len(records), 0, ())


@pytest.fixture
def use(monkeypatch):
    """``use(**kinds)``: the only kinds of places there are."""

    def use(**kinds):
        monkeypatch.setitem(sys.modules, "drawers", SimpleNamespace(**kinds))
        entries = {name: f"drawers:{name}" for name in kinds}
        for module in (asking, place):
            monkeypatch.setattr(module, "list_places", lambda: entries)

    return use


@pytest.fixture
def drawer(tmp_path):
    directory = tmp_path / "a.drawer"
    directory.mkdir()
    made_up.filled(directory / "it.lab", made_up.blocks(2)).close()
    return directory


def test_a_place_opens_as_one_record_and_by_itself(use, drawer):
    use(drawer=Drawer())
    assert is_place(drawer)
    with opened([drawer]) as (record, is_temporary):
        assert (record.experiment.name, is_temporary) == ("made up", True)
    with pytest.raises(UsageError, match="by itself, and not beside others"), opened([drawer, drawer]):
        pass


def test_a_record_is_no_place_and_opens_as_it_is(use, drawer):
    use(drawer=Drawer())
    with opened([drawer / "it.lab"]) as (record, is_temporary):
        assert (record.directory, is_temporary) == (drawer / "it.lab", False)


def test_a_place_that_does_not_exist_is_written_by_the_first_kind(use, tmp_path):
    place = SimpleNamespace(
        holds=lambda name: str(name).startswith("chest:"), write=lambda *_: "by the chest"
    )
    use(drawer=Drawer(), chest=place)
    done = write_records([tmp_path, tmp_path], tmp_path / "new", ignore_progress)
    assert (done.place, done.written) == (f"drawer {tmp_path / 'new'}", 2)
    assert write_records([tmp_path], "chest://1", ignore_progress) == "by the chest"


def test_without_any_kind_of_place_a_url_is_refused_without_its_secrets(use, drawer):
    use()
    assert not is_place("memory://x")
    with pytest.raises(UsageError, match="no installed extension keeps") as error, opened(["s3://me:key@x"]):
        pass
    assert "key" not in error.value.message
    with pytest.raises(UsageError, match="no installed extension"):
        write_records([drawer / "it.lab"], drawer, ignore_progress)
