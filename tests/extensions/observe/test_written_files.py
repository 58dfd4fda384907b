"""Files that a program writes, found without being told."""

from __future__ import annotations

from steelyard.extensions.observe import written_files
from steelyard.extensions.observe.written_files import changed_files, list_files


def test_new_changed_and_replaced_files_are_found_and_untouched_ones_are_not(tmp_path):
    for name in ("same", "changed", "replaced"):
        (tmp_path / name).write_text(name)
    (tmp_path / "records").mkdir()
    before = list_files(tmp_path, tmp_path / "records")
    (tmp_path / "changed").write_text("CHANGED")
    (tmp_path / "other").write_text("replaced")
    (tmp_path / "other").rename(tmp_path / "replaced")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "new").touch()
    (tmp_path / "records" / "of-ours").touch()
    (tmp_path / "link").symlink_to(tmp_path / "records")
    after = list_files(tmp_path, tmp_path / "records")
    assert changed_files(before, after) == ["below/new", "changed", "replaced"]


def test_a_directory_of_too_many_entries_is_not_searched(tmp_path, monkeypatch):
    monkeypatch.setattr(written_files, "MOST_ENTRIES", 3)
    for name in "abc":
        (tmp_path / name).touch()
    assert set(list_files(tmp_path, tmp_path / "records")) == set("abc")
    (tmp_path / "d").touch()
    assert list_files(tmp_path, tmp_path / "records") is None


def test_a_directory_that_is_gone_or_closed_has_no_files(tmp_path):
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed").rmdir()
    assert list_files(tmp_path, tmp_path / "closed") == {}
