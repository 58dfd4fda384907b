from __future__ import annotations

import pytest

from steelyard.core.errors import MachineError
from steelyard.run.build.cache import Entry

KEY = "0123456789abcdef" * 4


@pytest.fixture
def entry(tmp_path):
    return Entry(tmp_path / "cache", KEY)


def test_a_directory_is_good_only_after_it_was_completed(entry):
    with entry.locked():
        assert entry.fault() == "not built before"
        entry.clear()
        (entry.directory / "program").write_text("1")
        assert entry.fault() == "not built before"
        entry.complete()
        assert entry.fault() is None
        entry.clear()
        assert entry.fault() == "not built before"
        assert not any(entry.directory.iterdir())


def test_a_file_in_place_of_the_directory_is_said(entry):
    entry.root.mkdir()
    entry.directory.write_text("x")
    with (
        entry.locked(),
        pytest.raises(MachineError, match=f"cannot be written: File exists .{entry.directory}"),
    ):
        entry.clear()


def test_what_is_in_the_way_of_a_build_is_cleared_and_links_are_not_followed(entry, as_nobody, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").touch()
    deep = entry.directory / "a/b"
    deep.mkdir(parents=True)
    (deep / "f").touch()
    (entry.directory / "out").symlink_to(outside)
    for path in (deep, deep.parent, outside):
        path.chmod(0o500)
    with as_nobody(tmp_path), entry.locked():
        entry.clear()
    assert not any(entry.directory.iterdir())
    assert (outside / "precious").exists()
    assert outside.stat().st_mode & 0o777 == 0o500


def test_a_cache_without_permission_is_said_with_its_cure(entry, as_nobody, tmp_path):
    entry.root.mkdir()
    entry.root.chmod(0o500)
    with as_nobody(tmp_path), pytest.raises(MachineError) as caught, entry.locked():
        pass
    assert caught.value.message.startswith(
        f"the build cache {entry.root} cannot be written: Permission denied"
    )
    assert "XDG_CACHE_HOME" in caught.value.hint
