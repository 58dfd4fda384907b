from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from steelyard.core.errors import ProgramError
from steelyard.run.launch.provenance import describe_change, file_sha256, interpreter_line, program_identity


@pytest.fixture
def program(tmp_path):
    """A real program that a test may harm."""
    return Path(shutil.copy("/bin/true", tmp_path / "program"))


def test_the_identity_of_a_program_says_where_and_what_it_is(program):
    identity = program_identity(program)
    assert identity.path == str(program)
    assert identity.resolved == str(program.resolve())
    assert identity.sha256 == hashlib.sha256(Path("/bin/true").read_bytes()).hexdigest()
    assert identity.state.size_bytes == Path("/bin/true").stat().st_size
    assert identity.build_id == program_identity("/bin/true").build_id
    assert identity.interpreter is None


def test_links_are_followed(program, tmp_path):
    (tmp_path / "link").symlink_to("program")
    identity = program_identity(tmp_path / "link")
    assert (identity.path, identity.resolved) == (str(tmp_path / "link"), str(program.resolve()))


@pytest.mark.parametrize(
    ("content", "interpreter"),
    [
        (b"#!/bin/sh\necho", "/bin/sh"),
        (b"#! /usr/bin/env -S python3 -u \n", "/usr/bin/env -S python3 -u"),
        (b"#!/bin/\xff", "/bin/\N{REPLACEMENT CHARACTER}"),
        (b"#!" + b"x" * 1000, "x" * 254),
        (b"# !/bin/sh\n", None),
        (b"", None),
    ],
)
def test_the_interpreter_line_of_a_script_is_kept(tmp_path, content, interpreter):
    (tmp_path / "script").write_bytes(content)
    assert interpreter_line(tmp_path / "script") == interpreter
    assert program_identity(tmp_path / "script").interpreter == interpreter


@pytest.mark.parametrize("name", ["gone", "", "file/below"])
def test_a_program_that_cannot_be_read_is_an_error_with_its_path(tmp_path, name):
    (tmp_path / "file").touch()
    path = tmp_path / name
    with pytest.raises(ProgramError) as caught:
        program_identity(path)
    assert str(path) in caught.value.message
    assert caught.value.hint


def test_an_untouched_program_has_not_changed(program):
    assert describe_change(program_identity(program)) is None


def test_a_touched_a_copied_and_a_linked_program_have_not_changed(program, tmp_path):
    identity = program_identity(program)
    os.utime(program)
    assert describe_change(identity) is None
    os.link(program, tmp_path / "second name")
    assert describe_change(identity) is None
    shutil.copy("/bin/true", tmp_path / "new")
    (tmp_path / "new").replace(program)
    assert describe_change(identity) is None


def test_a_deleted_program_is_noticed(program):
    identity = program_identity(program)
    program.unlink()
    assert describe_change(identity) == f"program {program} was deleted"


def test_a_rebuilt_program_is_noticed_with_both_hashes(tmp_path):
    source, program = tmp_path / "main.c", tmp_path / "program"
    identities = []
    for code in (0, 1):
        source.write_text(f"int main(void) {{ return {code}; }}\n")
        subprocess.run(["cc", "-o", program, source], check=True)
        identities.append(program_identity(program))
    before, after = identities
    assert before.build_id != after.build_id
    report = describe_change(before)
    assert report.startswith(f"program {program} was replaced: ")
    assert before.sha256[:12] in report
    assert after.sha256[:12] in report


def test_a_byte_changed_in_place_is_noticed_though_size_and_time_are_put_back(program):
    identity = program_identity(program)
    time.sleep(0.02)  # into the next tick of the file system's clock
    with program.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"X")
    os.utime(program, ns=(identity.state.modified_ns, identity.state.modified_ns))
    assert program.stat().st_mtime_ns == identity.state.modified_ns
    assert "was replaced" in describe_change(identity)


def test_a_link_that_leads_elsewhere_is_noticed_by_contents(program, tmp_path):
    link = tmp_path / "link"
    link.symlink_to("program")
    identity = program_identity(link)
    (tmp_path / "same").write_bytes(program.read_bytes())
    link.unlink()
    link.symlink_to("same")
    assert describe_change(identity) is None
    (tmp_path / "other").write_bytes(b"#!/bin/sh\n")
    link.unlink()
    link.symlink_to("other")
    assert f"was replaced and now is {tmp_path.resolve() / 'other'}: " in describe_change(identity)


def test_a_program_that_became_unreadable_is_said(program):
    identity = program_identity(program)
    program.unlink()
    program.mkdir()
    assert describe_change(identity) == f"program {program} can no longer be read: Is a directory"


def test_a_hash_is_of_the_contents_now_however_fast_they_change(tmp_path):
    path = tmp_path / "f"
    for content in (b"one", b"two", b"six", b"two"):
        path.write_bytes(content)
        assert file_sha256(path) == hashlib.sha256(content).hexdigest()


def test_a_file_that_did_not_change_is_not_read_again(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(bytes(1 << 20))
    time.sleep(0.03)  # until its state is older than a tick of the file system's clock
    first = file_sha256(path)
    before = characters_read()
    assert file_sha256(path) == first
    assert characters_read() - before < 1 << 16
    os.utime(path)
    assert file_sha256(path) == first
    assert characters_read() - before >= 1 << 20


def characters_read() -> int:
    """What this process has read so far, from anything."""
    return int(Path("/proc/self/io").read_text().split()[1])
