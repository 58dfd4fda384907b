"""The one reader: whatever is outside, it ends in a text or in a sentence."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import msgspec
import pytest

from steelyard.core.errors import UsageError
from steelyard.files import reading
from steelyard.files.reading import csv_rows, decode_json, parse_json, read_bytes, read_text


def test_a_text_is_read_without_its_mark_of_byte_order(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfp,t\n")
    assert read_text(tmp_path / "a", hint="") == "p,t\n"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/dev/zero", "a device or a socket, not a file"),
        ("/dev/null", "a device or a socket, not a file"),
        ("/", "a directory, not a file"),
        ("/none", "cannot be read: No such file"),
        ("/dev/null/none", "cannot be read: Not a directory"),
        ("/" + "x" * 300, "cannot be read: File name too long"),
        ("/proc/self/mem", "cannot be read: Input/output error"),
    ],
)
def test_what_is_no_file_is_refused(path, reason):
    with pytest.raises(UsageError, match=reason) as caught:
        read_bytes(Path(path), hint="name a file")
    assert caught.value.hint == ("choose a shorter name" if "too long" in reason else "name a file")


def test_a_name_that_no_file_can_have_is_refused():
    with pytest.raises(UsageError, match="not the name of a file"):
        read_bytes(Path("a\0b"), hint="")


def test_a_file_of_a_terabyte_is_refused_unread(tmp_path):
    with (tmp_path / "a").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(UsageError, match="is larger than 256 MiB"):
        read_bytes(tmp_path / "a", hint="")


def test_a_file_that_says_it_is_empty_is_read_to_its_end():
    assert b"processor" in read_bytes(Path("/proc/cpuinfo"), hint="")
    with pytest.raises(UsageError, match="is larger than 3 bytes"):
        read_bytes(Path("/proc/cpuinfo"), hint="", largest=3)


def test_a_pipe_is_read_to_its_end_however_slow_its_writer_is():
    reader, writer = os.pipe()
    threading.Timer(0.1, lambda: (os.write(writer, b"p,t\n" * 50_000), os.close(writer))).start()
    try:
        assert read_bytes(Path(f"/dev/fd/{reader}"), hint="") == b"p,t\n" * 50_000
    finally:
        os.close(reader)


def test_a_pipe_without_an_end_is_left_at_the_limit():
    writer = subprocess.Popen(["cat", "/dev/zero"], stdout=subprocess.PIPE)
    with writer, writer.stdout as pipe, pytest.raises(UsageError, match="is larger than 3 MiB"):
        read_bytes(Path(f"/dev/fd/{pipe.fileno()}"), hint="", largest=3 * 2**20)


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "WRITER_WAIT_S", 0.05)
    os.mkfifo(tmp_path / "a pipe")
    with pytest.raises(UsageError, match="a pipe that nothing writes to") as caught:
        read_bytes(tmp_path / "a pipe", hint="")
    assert caught.value.hint == f"write to it: COMMAND > '{tmp_path}/a pipe'"


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path):
    (tmp_path / "a").write_bytes(b"one\ntwo\n\xff\n")
    with pytest.raises(UsageError, match=r"a:3: byte 0xff is not UTF-8 text"):
        read_text(tmp_path / "a", hint="")


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, "[" * 5000 + "]" * 5000])
def test_json_of_any_depth_ends_in_a_sentence(text):
    for read in (parse_json, decode_json):
        with pytest.raises(UsageError, match=r"^it: ") as caught:
            read(text, "it", hint="write JSON")
        assert caught.value.hint == "write JSON"
        assert len(caught.value.message) < 200


@pytest.mark.parametrize("text", ["", "{", '{"a": 1', "nul", '"\\ud800', "1e", "\x00", "9" * 5000])
def test_what_is_not_json_is_told(text):
    for read in (parse_json, decode_json):
        with pytest.raises(UsageError, match=r"^it: "):
            read(text, "it", hint="")


def test_json_of_another_form_is_left_to_who_asks():
    with pytest.raises(msgspec.ValidationError):
        decode_json('{"a": 1}', "it", hint="", type=list[int])
    assert decode_json("[1]", "it", hint="", type=list[int]) == [1]


def test_rows_have_the_numbers_of_their_lines():
    assert list(csv_rows('p,t\n\n4,"1\n2"\n', "it")) == [(1, ["p", "t"]), (2, []), (4, ["4", "1\n2"])]


@pytest.mark.parametrize("cell", ["x" * 131_073, '"' + "p,t\n" * 50_000])
def test_a_cell_without_an_end_is_told_with_its_line(cell):
    with pytest.raises(UsageError, match=r"^it, line \d+: a cell of more than 131,072 characters"):
        list(csv_rows(f"p,t\n4,{cell}", "it"))
