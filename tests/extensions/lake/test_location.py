"""Files of a lake are there whole or not, wherever it is, and no secret of a URL is ever told."""

from __future__ import annotations

import os
import subprocess
import sys

import fsspec
import pytest

from steelyard.core.errors import MachineError, UsageError
from steelyard.extensions.lake.location import Location


@pytest.fixture
def memory():
    yield f"memory://lake-{id(object())}"
    fsspec.filesystem("memory").store.clear()


@pytest.mark.parametrize("kind", ["directory", "file", "memory"])
def test_what_was_written_is_listed_and_read(tmp_path, memory, kind):
    place = {"directory": tmp_path / "a b", "file": f"file://{tmp_path}/a%20b", "memory": memory}[kind]
    location = Location(place)
    for content in (b"1", b"22"):
        location.write("spec=a/day=b/x.parquet", content)
    location.write("y", b"3")
    assert location.list_files() == ["spec=a/day=b/x.parquet", "y"]
    assert location.read("spec=a/day=b/x.parquet") == b"22"


@pytest.mark.parametrize("kind", ["directory", "memory"])
def test_a_spec_or_a_day_of_a_place_is_a_part_of_it(tmp_path, memory, kind):
    place = tmp_path / "lake" if kind == "directory" else memory
    for day in ("1", "2"):
        Location(place).write(f"spec=a/day={day}/x", b"")
    for part, names in (("spec=a", ["1", "2"]), ("spec=a/day=2", ["2"])):
        named = place / part if kind == "directory" else f"{place}/{part}"
        location = Location(named)
        assert location.prefix == part
        assert location.list_files() == [f"spec=a/day={day}/x" for day in names]
        assert location.read("spec=a/day=1/x") == b""


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    location = Location(tmp_path)
    location.write("x", b"old")

    def fail(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(UsageError, match="cannot be written: No space left on device"):
        location.write("x", b"new")
    assert location.read("x") == b"old"


def test_what_cannot_be_read_is_named_without_the_secrets_of_the_url(monkeypatch):
    class Failing(fsspec.AbstractFileSystem):
        protocol = "failing"

        def __init__(self, **_options):
            raise PermissionError("denied: failing://key:hunter2@host/x?token=s3cr3t with hunter2 and s3cr3t")

    fsspec.register_implementation("failing", Failing, clobber=True)
    with pytest.raises(UsageError) as error:
        Location("failing://key:hunter2@host/x?token=s3cr3t").list_files()
    message = f"{error.value.message} {error.value.hint}"
    assert "failing://host/x cannot be read" in message
    assert "hunter2" not in message
    assert "s3cr3t" not in message


@pytest.mark.parametrize("url", ["nonsense://x", "http://[::1"])
def test_a_url_that_nothing_opens_is_an_error_with_its_cure(url):
    with pytest.raises((UsageError, MachineError)) as error:
        Location(url).list_files()
    assert error.value.hint


def test_without_fsspec_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(MachineError, match="needs fsspec") as error:
        Location("memory://x")
    assert "in the checkout" in error.value.hint
    assert "'.[lake]'" in error.value.hint


def test_a_directory_needs_no_fsspec(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    Location(tmp_path).write("x", b"1")
    assert Location(tmp_path).read("x") == b"1"


@pytest.mark.parametrize("name", ["../evil", "spec=a/../../evil", "/evil", "", "a\\..\\evil", "a\0b"])
@pytest.mark.parametrize("kind", ["directory", "memory"])
def test_a_name_that_leads_out_of_a_lake_is_neither_read_nor_written(tmp_path, memory, kind, name):
    location = Location(tmp_path / "lake" if kind == "directory" else memory)
    for attempt in (lambda: location.write(name, b"x"), lambda: location.read(name)):
        with pytest.raises(UsageError, match="not the name of a file below it"):
            attempt()
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("linked", ["spec=a", "spec=a/day=b", "spec=a/day=b/x"])
def test_no_link_in_a_lake_is_followed(tmp_path, linked):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "x").write_bytes(b"precious")
    link = tmp_path / "lake" / linked
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere / "x" if linked.endswith("x") else elsewhere)
    location = Location(tmp_path / "lake")
    name = "spec=a/day=b/x" if linked != "spec=a" else "spec=a/x"
    for attempt in (lambda: location.write(name, b"evil"), lambda: location.read(name)):
        with pytest.raises(UsageError, match="symbolic link"):
            attempt()
    assert [path.name for path in elsewhere.iterdir()] == ["x"]
    assert (elsewhere / "x").read_bytes() == b"precious"
    if not linked.endswith("x"):
        with pytest.raises(UsageError, match="symbolic link"):
            location.list_files()


def test_a_pipe_in_a_lake_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "x")
    with pytest.raises(UsageError, match="named pipe"):
        Location(tmp_path).read("x")


@pytest.mark.parametrize("kind", ["directory", "memory"])
def test_a_file_that_is_larger_than_may_be_is_refused_unread(tmp_path, memory, kind):
    location = Location(tmp_path if kind == "directory" else memory)
    location.write("x", b"1234")
    assert location.read("x", largest=4) == b"1234"
    with pytest.raises(UsageError, match="larger than 3 bytes"):
        location.read("x", largest=3)


def test_exports_of_one_file_at_once_all_succeed_and_leave_it_whole(tmp_path):
    code = f"""
from pathlib import Path
from steelyard.extensions.lake.location import Location
location = Location(Path({str(tmp_path)!r}))
for _ in range(40):
    location.write("spec=a/day=b/x", b"x" * 100_000)
    assert location.read("spec=a/day=b/x") == b"x" * 100_000
"""
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["x"]
