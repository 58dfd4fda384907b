"""URLs are told from paths, and shown without secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.files.urls import find_directory, find_secrets, is_url, strip_secrets


def test_urls_and_paths_are_told_apart():
    assert all(map(is_url, ["s3://b/x", "file:///x", "memory://x", "simplecache::s3://b/x", "a+b://c"]))
    assert not any(map(is_url, ["x.lab", "/a/b", "a:b", "C:/x", "./s3://x", "", "spec=a/day=b"]))


@pytest.mark.parametrize(
    ("url", "output"),
    [
        ("s3://key:secret@bucket/a/b?token=t#frag", "s3://bucket/a/b"),
        ("memory://x", "memory://x"),
        ("simplecache::https://u:p@h:8/a?sig=s", "simplecache::https://h:8/a"),
        ("http://[bad/x?k=secret", "http://…"),
        ("s3://key:sec/ret@bucket/a", "s3://…"),
    ],
)
def test_a_url_is_shown_without_what_may_be_secret(url, output):
    assert strip_secrets(url) == output


def test_secrets_are_found_as_they_stand_and_decoded():
    result = {*find_secrets("ftp://us%40er:p%2Fw@host/a?sig=ab%3D&x=1")}
    assert {"us%40er", "us@er", "p%2Fw", "p/w", "ab="} <= result
    assert {*find_secrets("s3://key:sec/ret@bucket/")} == {"key", "sec", "ret", "bucket"}


def test_a_directory_of_this_machine_is_found_in_its_url():
    assert find_directory("file:///a/b%20c") == Path("/a/b c")
    assert find_directory("s3://a/b") is None
