"""Source trees: where files differ, which of these lines a function has, and what undoes them."""

from __future__ import annotations

import random

import pytest

from steelyard.core.errors import MachineError, UsageError
from steelyard.extensions.explain.sources import (
    Hunk,
    Sources,
    copy_tree,
    find_extent,
    find_file,
    list_hunks,
    read_sources,
    undo,
)

PROGRAM = """\
#include <stdio.h>
int twice(int x);
/* a brace { in a comment */
static const char *text = "}{";
/* Go has texts in `}` too */
int
parse(int x)
{
    char c = '}';  // }
    if (x) { x++; }
    return x + (c == '{');
}

struct point { int x; } origin;
int last(int x) { return x; }
"""


@pytest.fixture
def trees(tmp_path):
    for side in ("old", "new"):
        (tmp_path / side / "lib").mkdir(parents=True)
        (tmp_path / side / "prog.c").write_text(PROGRAM)
        (tmp_path / side / "lib/table.c").write_text("int insert(void) { return 1; }\n")
    return Sources(tmp_path / "old", tmp_path / "new")


def draw_text(draw, lines):
    """A text like another: some lines removed, added or changed, with and without an end of line."""
    changed = []
    for line in lines:
        kind = draw.random()
        if kind < 0.1:
            continue
        changed.append(draw.choice("abc") if kind < 0.2 else line)
        if kind > 0.9:
            changed += draw.choices("abc", k=draw.randrange(1, 4))
    return "\n".join(changed) + draw.choice(("", "\n"))


@pytest.mark.parametrize("seed", range(60))
def test_all_differences_undone_give_the_old_file(tmp_path, seed):
    draw = random.Random(seed)
    lines = draw.choices("abcdefgh", k=draw.randrange(1, 30))
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text(draw_text(draw, lines))
    new.write_text(draw_text(draw, lines))
    undone = undo(old.read_bytes(), new.read_bytes(), list_hunks(old, new))
    # diff says of the last line alone whether it ends; programs are the same with and without.
    assert undone.rstrip(b"\n") == old.read_bytes().rstrip(b"\n")


def test_one_difference_undone_leaves_the_others(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("a\nb\nc\nd\ne\n")
    new.write_text("A\nb\nd\ne\nf\n")
    first, second, third = list_hunks(old, new)
    assert (first, second, third) == (Hunk(0, 1, 0, 1), Hunk(2, 3, 2, 2), Hunk(5, 5, 4, 5))
    assert undo(old.read_bytes(), new.read_bytes(), [second]) == b"A\nb\nc\nd\ne\nf\n"
    assert undo(old.read_bytes(), new.read_bytes(), [third, first]) == b"a\nb\nd\ne\n"
    assert [hunk.overlaps(1, 3) for hunk in (first, second, third)] == [False, True, False]


@pytest.mark.parametrize(
    ("line", "extent"),
    [
        (7, (6, 12)),
        (6, (5, 12)),
        (15, (14, 15)),
        (0, None),
        (99, None),
    ],
)
def test_a_function_ends_with_its_last_brace_and_none_of_a_text_or_a_comment_counts(trees, line, extent):
    assert find_extent(trees.new / "prog.c", "parse", line) == extent


def test_a_function_of_go_begins_with_its_head_whatever_line_its_table_has(tmp_path):
    (tmp_path / "x.go").write_text(
        "package x\n\nfunc F(n int) int {\n\tif n > 1 {\n\t\tn--\n\t}\n\treturn n\n}\n"
    )
    for line in (3, 4, 7):
        assert find_extent(tmp_path / "x.go", "x.F", line) == (2, 8)


@pytest.mark.parametrize(
    ("name", "line", "extent"),
    [
        ("Table.insert", 5, (2, 5)),
        ("insert", 0, None),
        ("Other.insert", 9, (7, 9)),
        ("parse", 0, (9, 11)),
        ("absent", 0, None),
    ],
)
def test_a_function_of_python_has_its_decorators_and_its_body(tmp_path, name, line, extent):
    file = tmp_path / "m.py"
    file.write_text(
        "class Table:\n\n    @cached\n    def insert(self):\n        return 1\n\n"
        "class Other:\n    def insert(self):\n        return 2\ndef parse():\n    return 3\n"
    )
    assert find_extent(file, name, line) == extent
    file.write_text("def (:\n")
    assert find_extent(file, name, line) is None


@pytest.mark.parametrize(
    ("file", "name", "reason"),
    [
        ("/elsewhere/build/lib/table.c", "lib/table.c", ""),
        ("prog.c", "prog.c", ""),
        ("", "", "compile with -g"),
        ("malloc.c", "", "no source file is called malloc.c"),
    ],
)
def test_a_file_is_found_by_the_end_of_its_path(trees, file, name, reason):
    assert find_file(trees, file)[0] == name
    assert reason in find_file(trees, file)[1]
    assert find_file(trees, str(trees.new / "lib/table.c")) == ("lib/table.c", "")


def test_files_of_one_name_are_told_apart_by_their_directories_or_not_at_all(trees):
    (trees.new / "table.c").write_text("")
    assert find_file(trees, "/b/lib/table.c") == ("lib/table.c", "")
    (trees.new / "more").mkdir()
    (trees.new / "more/prog.c").write_text("")
    (trees.new / "lib/prog.c").write_text("")
    assert find_file(trees, "/b/src/prog.c") == ("", "3 source files are called prog.c")


def test_a_copy_has_the_times_of_its_tree_and_no_history(trees, tmp_path):
    (trees.new / ".git").mkdir()
    (trees.new / ".git/HEAD").write_text("")
    (trees.new / "link").symlink_to("prog.c")
    copy_tree(trees.new, tmp_path / "copy")
    assert not (tmp_path / "copy/.git").exists()
    assert (tmp_path / "copy/link").is_symlink()
    assert (tmp_path / "copy/prog.c").stat().st_mtime_ns == (trees.new / "prog.c").stat().st_mtime_ns


def test_sources_that_cannot_be_built_from_are_refused(trees, tmp_path, monkeypatch):
    places = (str(trees.old), str(trees.new))
    with pytest.raises(UsageError, match=r"does not name \{program\}"):
        read_sources(places, "make -C {source}")
    with pytest.raises(UsageError, match="none is not a directory"):
        read_sources((str(tmp_path / "none"), places[1]), "")
    with (trees.new / "large").open("wb") as file:
        file.truncate((1 << 30) + 1)
    with pytest.raises(UsageError, match=r"has 1\.1 GB"):
        read_sources(places, "")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="diff, which is not found") as caught:
        read_sources(places, "")
    assert caught.value.hint == "apt-get install diffutils"
