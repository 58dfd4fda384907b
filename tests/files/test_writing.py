"""The one writer: a file is there complete or as it was, and nothing that matters is written onto."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from steelyard.core.errors import UsageError
from steelyard.files.writing import (
    RECORD_FILE,
    holding,
    open_output,
    protecting,
    refuse_output,
    write_output,
)


@pytest.fixture
def record(tmp_path):
    directory = tmp_path / "it.lab"
    directory.mkdir()
    (directory / RECORD_FILE).write_bytes(b"measurements")
    return directory


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_text_is_written_and_only_the_file_is_there(tmp_path):
    write_output(tmp_path / "a.txt", "µ \udc80\n")
    assert (tmp_path / "a.txt").read_bytes() == "µ ?\n".encode()
    assert names(tmp_path) == ["a.txt"]


def test_a_writer_that_fails_leaves_the_file_as_it_was(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("old")
    with pytest.raises(TypeError), open_output(file) as out:
        out.writelines([b"half", "text"])
    assert file.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_file_keeps_its_mode_and_a_new_one_gets_that_of_the_umask(tmp_path):
    file, new = tmp_path / "a.txt", tmp_path / "b.txt"
    file.write_text("old")
    file.chmod(0o640)
    write_output(file, "new")
    write_output(new, "new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    (tmp_path / "c.txt").write_text("by open()")
    assert new.stat().st_mode == (tmp_path / "c.txt").stat().st_mode


def test_a_link_stays_one_and_the_file_behind_it_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    file, link = tmp_path / "far" / "a.txt", tmp_path / "link.txt"
    file.write_text("old")
    link.symlink_to(file)
    write_output(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert names(tmp_path / "far") == ["a.txt"]


def test_a_stream_is_written_into_and_what_it_has_already_stays(tmp_path):
    with (tmp_path / "a.txt").open("ab") as file:
        file.write(b"before\n")
        file.flush()
        write_output(Path(f"/dev/fd/{file.fileno()}"), "after\n")
        inode = os.fstat(file.fileno()).st_ino
    assert (tmp_path / "a.txt").stat().st_ino == inode


@pytest.mark.parametrize(
    "name",
    [
        RECORD_FILE,
        "new.html",
        "deep/er/new.html",
        f"../it.lab/{RECORD_FILE}",
        "./x",
        f"../link/{RECORD_FILE}",
    ],
)
def test_nothing_is_written_inside_a_record(record, name):
    (record.parent / "link").symlink_to(record)
    with pytest.raises(
        UsageError, match=r"--html .* is inside the record it\.lab, which only Steelyard writes to"
    ):
        refuse_output(record / name, "--html")
    with pytest.raises(UsageError, match=r"inside the record it\.lab"):
        write_output(record / name, "x")
    assert names(record) == [RECORD_FILE]


def test_the_spec_of_a_record_and_a_program_are_kept(tmp_path, record):
    spec, program, script = tmp_path / "it.toml", tmp_path / "program", tmp_path / "script"
    spec.write_text("[program]\n")
    program.write_bytes(b"\x7fELF...")
    script.write_text("#!/bin/sh\n")
    for file, reason in (
        (spec, r"is the spec of the record it\.lab"),
        (program, "is a program"),
        (script, "is a"),
    ):
        file.chmod(0o755)
        before = file.read_bytes()
        with pytest.raises(UsageError, match=reason):
            write_output(file, "x")
        assert file.read_bytes() == before


def test_a_file_that_everybody_may_execute_and_that_is_no_program_is_replaced(tmp_path):
    file = tmp_path / "a.html"
    file.write_text("<!doctype html>")
    file.chmod(0o777)
    write_output(file, "new")
    assert file.read_text() == "new"


def test_an_input_is_kept_whatever_name_it_is_reached_by(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("p,t\n")
    (tmp_path / "soft").symlink_to("data.csv")
    (tmp_path / "softer").symlink_to("soft")
    (tmp_path / "hard").hardlink_to(data)
    (tmp_path / "room").mkdir()
    with protecting([data]):
        for name in ("data.csv", "soft", "softer", "hard", "./data.csv", "room/../data.csv"):
            with pytest.raises(UsageError, match="is an input of this command"):
                write_output(tmp_path / name, "x")
            with (
                protecting([tmp_path / "none"]),
                pytest.raises(UsageError, match="is an input of this command"),
            ):
                refuse_output(tmp_path / name)
    assert data.read_text() == "p,t\n"
    write_output(data, "afterwards it is a file like any other")


def test_what_the_system_refuses_is_told_before_anything_runs(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    for file, reason in (
        (tmp_path / "none" / "a.txt", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (tmp_path / ("x" * 300), "File name too long"),
        (loop, "symbolic links"),
        (Path("/proc/none"), "No such file"),
        (Path("/dev/null/x"), "Not a directory"),
    ):
        with pytest.raises(UsageError, match=f"--html .*: cannot be written: .*{reason}") as caught:
            refuse_output(file, "--html")
        assert caught.value.hint


def test_checking_changes_nothing(tmp_path):
    file = tmp_path / "a.txt"
    refuse_output(file)
    assert names(tmp_path) == []
    file.write_text("old")
    before = file.stat()
    refuse_output(file)
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert names(tmp_path) == ["a.txt"]


def test_a_pipe_that_nobody_reads_is_not_opened_by_the_check(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refuse_output(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_a_stream_that_is_a_pipe_is_written_into():
    reader, writer = os.pipe()
    try:
        refuse_output(Path(f"/dev/fd/{writer}"), "--output")
        write_output(Path(f"/dev/fd/{writer}"), "text")
        assert os.read(reader, 100) == b"text"
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.parametrize(
    "put",
    [
        lambda file, victim: file.symlink_to(victim),
        lambda file, victim: file.symlink_to(victim.with_name("absent")),
        lambda file, _victim: os.mkfifo(file),
    ],
    ids=["link", "dangling link", "pipe"],
)
@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("name", ["out.md", "figures/a.svg"])
def test_an_output_that_leads_elsewhere_than_at_the_start_is_not_written(tmp_path, put, exists, name):
    victim, file = tmp_path / "victim", tmp_path / name
    victim.write_text("precious")
    file.parent.mkdir(exist_ok=True)
    if exists:
        file.write_text("old")
    with holding([file if file.parent == tmp_path else file.parent]):
        file.unlink(missing_ok=True)
        put(file, victim)
        with pytest.raises(UsageError, match=r"(now leads to|is now a pipe).*when this command began"):
            write_output(file, "text")
    assert victim.read_text() == "precious"
    assert not victim.with_name("absent").exists()


def test_a_directory_of_outputs_that_becomes_a_link_is_not_written_to(tmp_path):
    theirs, figures = tmp_path / "theirs", tmp_path / "figures"
    theirs.mkdir()
    with holding([figures, figures.with_name("out.md")]):
        figures.symlink_to(theirs)
        with pytest.raises(UsageError, match="now leads to"):
            write_output(figures / "a.svg", "text")
        write_output(tmp_path / "out.md", "text")
    assert list(theirs.iterdir()) == []
    assert (tmp_path / "out.md").read_text() == "text"


def test_links_of_the_user_are_followed_where_they_led_at_the_start(tmp_path):
    far = tmp_path / "far"
    far.mkdir()
    (tmp_path / "figures").symlink_to(far)
    (far / "b.svg").symlink_to(tmp_path / "b.svg")
    (tmp_path / "out.md").symlink_to(far / "out.md")
    with holding([tmp_path / "figures", tmp_path / "out.md"]):
        for name in ("figures/a.svg", "figures/b.svg", "out.md"):
            write_output(tmp_path / name, "text")
    assert sorted(names(far)) == ["a.svg", "b.svg", "out.md"]
    assert (tmp_path / "b.svg").read_text() == "text"
