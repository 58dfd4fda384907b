from __future__ import annotations

import os

import pytest

from steelyard.core.errors import SpecError
from steelyard.run.build.inputs import input_files

FILES = (
    "a.c",
    "b.h",
    ".hidden",
    "src/a.c",
    "src/b.c",
    "src/deep/c.c",
    "src/deep/.d.c",
    "[x].c",
    ".git/objects/a.c",
    "sub/NAME.lab/record.sqlite",
)


@pytest.fixture
def source(tmp_path):
    for name in FILES:
        (tmp_path / "s" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "s" / name).write_text(name)
    return tmp_path / "s"


def names(source, *patterns: str, words: tuple[str, ...] = ()) -> list[str]:
    return [os.fsdecode(file.name) for file in input_files(source, patterns, words)]


@pytest.mark.parametrize(
    ("patterns", "result"),
    [
        (["a.c"], ["a.c"]),
        (["*.c"], ["[x].c", "a.c"]),
        (["[[]x].c"], ["[x].c"]),
        (["?.[ch]"], ["a.c", "b.h"]),
        ([".*"], [".git/objects/a.c", ".hidden"]),
        (["src/*.c"], ["src/a.c", "src/b.c"]),
        (["./src//*.c"], ["src/a.c", "src/b.c"]),
        (["src"], ["src/a.c", "src/b.c", "src/deep/.d.c", "src/deep/c.c"]),
        (["src/"], ["src/a.c", "src/b.c", "src/deep/.d.c", "src/deep/c.c"]),
        (["src/**"], ["src/a.c", "src/b.c", "src/deep/.d.c", "src/deep/c.c"]),
        (["**/c.c"], ["src/deep/c.c"]),
        (["**/a.c"], ["a.c", "src/a.c"]),
        (["**/**/deep/**/*.c"], ["src/deep/.d.c", "src/deep/c.c"]),
        (["*/deep"], ["src/deep/.d.c", "src/deep/c.c"]),
        (["b.h", "a.c", "a.?"], ["a.c", "b.h"]),
    ],
)
def test_patterns_find_files_by_name_sorted_and_once(source, patterns, result):
    assert names(source, *patterns) == result


def test_two_stars_enter_neither_a_repository_nor_a_record(source):
    everything = names(source, "**")
    assert everything == sorted(name for name in FILES if ".git" not in name and ".lab" not in name)
    assert names(source, "sub/NAME.lab/*") == ["sub/NAME.lab/record.sqlite"]


def test_words_of_the_command_that_are_files_of_the_source_are_inputs(source):
    words = (
        "-O2",
        "a.c",
        str(source / "b.h"),
        "src",
        "/bin/sh",
        "../s/src/a.c",
        "x" * 5000,
        "-o",
        "\0build/x",
        "gone.c",
    )
    assert names(source, words=words) == ["a.c", "b.h", "src/a.c"]


def test_a_circle_of_links_ends(source):
    (source / "src/loop").symlink_to("..")
    (source / "self").symlink_to("self")
    assert names(source, "**") == sorted(name for name in FILES if ".git" not in name and ".lab" not in name)
    assert names(source, "src") == ["src/a.c", "src/b.c", "src/deep/.d.c", "src/deep/c.c"]
    assert names(source, "**/deep/c.c") == ["src/deep/c.c"]


def test_a_link_to_a_file_is_its_contents(source):
    (source / "link.c").symlink_to("a.c")
    link, original = input_files(source, ["link.c"])[0], input_files(source, ["a.c"])[0]
    assert (link.name, link.sha256) == (b"link.c", original.sha256)


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("../s/a.c", "{source}/../s/a.c"),
        ("src/../../s/*.c", "{source}/../s/*.c"),
        ("{source}/src/../../s/a.c", "{source}/../s/a.c"),
    ],
)
def test_a_relative_pattern_that_leaves_the_source_is_refused_with_its_cure(source, pattern, meant):
    with pytest.raises(SpecError, match=r"leaves the directory of the spec") as caught:
        names(source, pattern)
    assert caught.value.hint == f"{meant} says that this is meant"
    assert "a.c" in names(source, meant)


def test_a_pattern_from_the_source_on_may_leave_it(source, tmp_path):
    (tmp_path / "elsewhere.h").write_text("1")
    assert names(source, "{source}/../else*.h") == [f"{tmp_path}/elsewhere.h"]
    assert names(source, "{source}/src/*.c") == names(source, "src/*.c")
    # Where the spec was named by way of another directory, too.
    assert names(source / "src" / "..", "{source}/../else*.h") == [f"{tmp_path}/elsewhere.h"]


def test_an_absolute_pattern_declares_files_elsewhere(source, tmp_path):
    (tmp_path / "elsewhere.h").write_text("1")
    assert names(source, f"{tmp_path}/else*.h") == [f"{tmp_path}/elsewhere.h"]
    assert names(source, str(source / "a.c")) == ["a.c"]


@pytest.mark.parametrize(
    "pattern", ["*.f90", "gone/*.c", "a.c/x", "self", "*/self/x", "pipe", "p*e", "x" * 300]
)
def test_a_pattern_that_matches_no_file_is_an_error(source, pattern):
    (source / "self").symlink_to("self")
    os.mkfifo(source / "pipe")
    with pytest.raises(SpecError) as caught:
        names(source, "a.c", pattern)
    assert caught.value.message == f"build.inputs: {pattern!r} matches no file in {source}"


def test_without_any_input_nothing_would_say_when_to_build_again(source):
    with pytest.raises(SpecError, match="no file is named") as caught:
        names(source)
    assert "inputs = " in caught.value.hint


def test_what_cannot_be_read_is_an_error_with_its_path(source, as_nobody):
    (source / "a.c").chmod(0)
    (source / "src/deep").chmod(0)
    with as_nobody(source):
        with pytest.raises(SpecError, match=r"a\.c cannot be read: Permission denied"):
            names(source, "a.c")
        with pytest.raises(SpecError, match="deep cannot be read: Permission denied"):
            names(source, "src/deep/*")
        with pytest.raises(SpecError, match="deep cannot be read: Permission denied"):
            names(source, "src")
