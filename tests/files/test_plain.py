"""Files that programs can replace: only plain ones are read, written or removed."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from steelyard.files.plain import (
    NotPlainError,
    describe_kind,
    open_plain,
    read_plain,
    refuse_replaced,
    remove_plain,
    write_plain,
)


def bind(file: Path, _: Path) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(os.path.relpath(file))


KINDS = {
    "a symbolic link": lambda file, victim: file.symlink_to(victim),
    "a symbolic link ": lambda file, victim: file.symlink_to(victim.with_name("absent")),
    "a directory": lambda file, _: file.mkdir(),
    "a named pipe": lambda file, _: os.mkfifo(file),
    "a socket": bind,
    "a hard link": lambda file, victim: file.hardlink_to(victim),
}


@pytest.fixture
def file(tmp_path):
    (tmp_path / "record" / "journal").mkdir(parents=True)
    return tmp_path / "record" / "journal" / "file"


@pytest.fixture(params=KINDS)
def replaced(request, file, tmp_path, monkeypatch):
    """The file, replaced, and the words of its kind."""
    monkeypatch.chdir(file.parent)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    KINDS[request.param](file, victim)
    before = os.lstat(file)
    yield request.param.strip()
    assert victim.read_text() == "precious"
    assert not (tmp_path / "absent").exists()
    after = os.lstat(file)
    assert (after.st_ino, after.st_mode, after.st_nlink) == (before.st_ino, before.st_mode, before.st_nlink)
    assert [path.name for path in file.parent.iterdir()] == ["file"]


USES = {
    "read": read_plain,
    "write": lambda file: write_plain(file, b"ours"),
    "remove": remove_plain,
    "empty": lambda file: open_plain(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    "append": lambda file: open_plain(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND),
    "refuse": refuse_replaced,
}


@pytest.mark.parametrize("use", USES)
def test_what_is_no_plain_file_is_refused_with_its_kind_and_stays(replaced, file, use):
    with pytest.raises(NotPlainError) as refused:
        USES[use](file)
    assert replaced in refused.value.kind
    assert refused.value.message.startswith(f"{file} is a")


def test_a_device_is_refused(file):
    try:
        os.mknod(file, 0o600 | 0o020000, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes device nodes")
    with pytest.raises(NotPlainError, match="is a device"):
        read_plain(file)


def test_a_plain_file_is_written_whole_read_and_removed(file):
    assert read_plain(file) is None
    write_plain(file, b"first, and longer")
    write_plain(file, b"second", mode=0o600)
    assert (read_plain(file), read_plain(file, most=3)) == (b"second", b"ond")
    assert file.stat().st_mode & 0o777 == 0o600
    remove_plain(file)
    remove_plain(file)
    assert list(file.parent.iterdir()) == []


def test_a_file_that_is_emptied_stays_the_same_file(file):
    file.write_text("before")
    inode = file.stat().st_ino
    os.close(open_plain(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))
    assert (file.stat().st_size, file.stat().st_ino) == (0, inode)


def test_a_directory_below_the_record_is_not_reached_through_a_link(file, tmp_path):
    theirs = tmp_path / "theirs"
    file.parent.rename(theirs)
    file.parent.symlink_to(theirs)
    record = tmp_path / "record"
    with pytest.raises(NotPlainError, match="journal is a symbolic link, not the directory"):
        write_plain(file, b"ours", within=record)
    assert list(theirs.iterdir()) == []


def test_the_record_itself_may_be_reached_through_a_link(file, tmp_path):
    (tmp_path / "short").symlink_to(tmp_path / "record")
    write_plain(tmp_path / "short" / "journal" / "file", b"ours", within=tmp_path / "short")
    assert file.read_bytes() == b"ours"


def test_a_number_that_is_no_kind_has_no_words():
    assert describe_kind(13) is None


def test_no_name_leads_out_of_the_directory_that_it_is_within(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for act in (read_plain, remove_plain, lambda path, within: write_plain(path, b"evil", within=within)):
        with pytest.raises(NotPlainError, match="elsewhere"):
            act(inner / ".." / "victim", within=inner)
    assert victim.read_text() == "precious"


def test_a_file_that_is_larger_than_may_be_is_not_read(tmp_path):
    (tmp_path / "file").write_bytes(b"1234")
    assert read_plain(tmp_path / "file", largest=4) == b"1234"
    with pytest.raises(OSError, match="larger than 3 bytes"):
        read_plain(tmp_path / "file", largest=3)
