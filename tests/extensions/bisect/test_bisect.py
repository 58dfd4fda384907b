"""Bisection of real repositories, with real builds and runs."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing

import pytest

from steelyard.core.errors import (
    InterruptedRunError,
    MachineError,
    ProgramError,
    RecordBusyError,
    RecordError,
    UsageError,
)
from steelyard.extensions.bisect.bisect import bisect
from steelyard.extensions.bisect.request import BisectRequest
from steelyard.extensions.repository.repository import Repository


def asked(good, bad, **changes):
    inputs = {"words": ("./prog",), "build": "sh build", "metric": "rss_bytes", "seed": 1}
    return BisectRequest(good=good, bad=bad, **{**inputs, **changes})


def search(programs, tmp_path, request, **options):
    return bisect(request, Repository(programs.path), tmp_path / "found", **options)


def named(found):
    return [candidate.commit for candidate in found.candidates]


def test_the_commit_is_found_its_records_stay_and_its_work_trees_go(programs, tmp_path):
    ids = programs.line(9, 6)
    text = []
    match = search(programs, tmp_path, asked(ids[0], "HEAD"), tell=text.append)
    assert named(match) == [ids[6]]
    assert match.candidates[0].subject == "commit 6"
    assert match.probability >= 0.95
    assert match.direction == "worse"
    assert match.ci95.low > 2
    assert (match.good, match.bad, match.commits) == (ids[0], ids[8], 8)
    likes = {ids.index(item.commit): item.like for item in match.tested}
    assert all(like == ("bad" if place >= 6 else "good") for place, like in likes.items())
    assert text
    assert programs.git("worktree", "list").count("\n") == 0
    assert (tmp_path / "found" / "001.lab" / "record.sqlite").is_file()
    # The same again is read from the records: nothing is built, and the answer is the same.
    assert search(programs, tmp_path, asked(ids[0], "HEAD")) == match
    assert list((tmp_path / "found" / "trees").glob("*/prog")) == []


def test_a_search_that_goes_on_refuses_a_batch_that_was_edited(programs, tmp_path):
    ids = programs.line(3, 1)
    search(programs, tmp_path, asked(ids[0], "HEAD"))
    file = tmp_path / "found" / "001.lab" / "record.sqlite"
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("update trial set rss_bytes = rss_bytes / 2 where block = 3")
    with pytest.raises(RecordError, match=r"001\.lab was edited in block 3"):
        search(programs, tmp_path, asked(ids[0], "HEAD"))


def test_a_commit_that_does_not_build_is_skipped_and_named_with_what_its_build_said(programs, tmp_path):
    ids = programs.line(8, 4, c3="echo no such header; exit 3", c4="exit 3")
    match = search(programs, tmp_path, asked(ids[0], ids[-1]))
    assert set(named(match)) == {ids[3], ids[4], ids[5]}
    skipped = {item.commit: item.why for item in match.skipped}
    assert set(skipped) <= {ids[3], ids[4]}
    assert all(why == "its build ended with 3" for why in skipped.values())


def test_a_commit_that_builds_and_does_not_run_is_skipped(programs, tmp_path):
    ids = programs.line(6, 5, c3="printf '#!/bin/sh\\nexit 9\\n' > prog; chmod +x prog")
    match = search(programs, tmp_path, asked(ids[0], ids[-1]))
    assert ids[5] in named(match)
    assert all(item.commit == ids[3] for item in match.skipped)


def test_a_directory_in_which_a_search_runs_is_refused_to_another_one(programs, tmp_path):
    ids = programs.line(3, 1)
    request = asked(ids[0], ids[-1])
    with (
        request.keep_in(tmp_path / "found").lock(tmp_path / "found"),
        pytest.raises(RecordBusyError, match="found: a search runs there already"),
    ):
        search(programs, tmp_path, request)
    assert not (tmp_path / "found" / "trees").exists()


def test_ends_that_do_not_differ_name_no_commit(programs, tmp_path):
    ids = programs.line(4, 99)
    match = search(programs, tmp_path, asked(ids[0], ids[-1], blocks=3))
    assert (match.candidates, match.tested) == ((), ())
    assert match.resolvable > 0
    assert match.end_blocks == 48


def test_an_interrupted_search_goes_on_where_it_was(programs, tmp_path):
    ids = programs.line(9, 3)

    def stop_in_the_second_batch(_at):
        if (tmp_path / "found" / "002.lab").exists():
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError, match="interrupted; measurements so far are in "):
        search(programs, tmp_path, asked(ids[0], ids[-1], seed=None), watch=stop_in_the_second_batch)
    assert programs.git("worktree", "list").count("\n") == 0
    first = (tmp_path / "found" / "001.lab" / "record.sqlite").stat().st_mtime_ns
    batches = sorted(path.name for path in (tmp_path / "found").glob("*.lab"))
    assert batches == ["001.lab", "002.lab"]
    match = search(programs, tmp_path, asked(ids[0], ids[-1], seed=None))
    assert named(match) == [ids[3]]
    assert (tmp_path / "found" / "001.lab" / "record.sqlite").stat().st_mtime_ns == first


def test_commits_beside_a_merged_branch_are_not_searched_for_later_changes(programs, tmp_path):
    programs.program(4, message="first")
    programs.git("switch", "-q", "-c", "branch")
    good = programs.program(4, message="good, on a branch")
    programs.git("switch", "-q", "main")
    programs.program(16, message="beside it")
    programs.git("merge", "-q", "-s", "ours", "-m", "merged", "branch")
    merged = programs.git("rev-parse", "HEAD")
    bad = programs.program(16, message="bad")
    match = search(programs, tmp_path, asked(good, bad))
    assert (match.commits, named(match)) == (2, [merged])


def test_another_search_in_the_same_directory_is_refused(programs, tmp_path):
    ids = programs.line(3, 1)
    search(programs, tmp_path, asked(ids[0], ids[-1]))
    with pytest.raises(RecordError, match="is of another search, or of other options"):
        search(programs, tmp_path, asked(ids[0], ids[-1], words=("./prog", "-v")))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    with pytest.raises(RecordError, match="exists and is not of a search"):
        bisect(asked(ids[0], ids[-1]), Repository(programs.path), tmp_path / "full")


def test_changes_that_are_not_committed_are_said_not_to_be_measured(programs, tmp_path):
    ids = programs.line(2, 1)
    (programs.path / "prog.in").write_text("#!/bin/sh\nexit 1\n")
    text = []
    match = search(programs, tmp_path, asked(ids[0], ids[-1]), tell=text.append)
    assert text[0] == "uncommitted changes are not measured"
    assert named(match) == [ids[1]]
    assert (programs.path / "prog.in").read_text() == "#!/bin/sh\nexit 1\n"


def test_a_shallow_clone_is_refused_with_the_command_that_completes_it(programs, tmp_path):
    ids = programs.line(4, 2)
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth=2", f"file://{programs.path}", str(clone)], check=True)
    with pytest.raises(UsageError, match="names no commit") as error:
        bisect(asked(ids[0], "HEAD"), Repository(clone), tmp_path / "found")
    assert "git fetch --unshallow" in error.value.hint


def test_ends_the_wrong_way_round_are_refused_with_the_right_one(programs, tmp_path):
    ids = programs.line(3, 1)
    with pytest.raises(UsageError, match="does not contain") as error:
        search(programs, tmp_path, asked(ids[2], ids[0]))
    assert error.value.hint.startswith(f"steelyard bisect {ids[0]} {ids[2]}")
    with pytest.raises(UsageError, match="are one commit"):
        search(programs, tmp_path, asked(ids[2], "HEAD"))


def test_an_end_that_does_not_build_ends_the_search_with_its_log(programs, tmp_path):
    ids = programs.line(3, 1, c0="echo broken; exit 2")
    with pytest.raises(ProgramError, match="its build ended with 2\n    broken"):
        search(programs, tmp_path, asked(ids[0], ids[-1]))
    assert programs.git("worktree", "list").count("\n") == 0


def test_a_build_command_is_read_by_a_shell(programs, tmp_path):
    ids = programs.line(2, 1)
    result = bisect(
        asked(ids[0], ids[-1], build="sh build && test -x {tree}/prog"),
        Repository(programs.path),
        tmp_path / "by-shell",
    )
    assert named(result) == [ids[1]]


def test_no_hook_of_the_repository_runs(programs, tmp_path):
    ids = programs.line(2, 1)
    hook = programs.path / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
    hook.chmod(0o755)
    search(programs, tmp_path, asked(ids[0], ids[-1]))
    assert not (tmp_path / "hooked").exists()


def test_what_a_build_leaves_running_is_ended(programs, tmp_path):
    ids = programs.line(2, 1)
    match = search(programs, tmp_path, asked(ids[0], ids[-1], build="sh -c 'sh build; sleep 300 &'"))
    assert named(match) == [ids[1]]


def test_without_git_the_error_says_how_to_get_it(programs, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="git is not installed"):
        Repository(programs.path)


def test_each_block_is_linked_anew_where_the_build_takes_a_layout(programs, tmp_path):
    ids = programs.line(3, 2)
    build = "echo {layout} >> log; sh build && echo '# {layout}' >> prog"
    match = search(programs, tmp_path, asked(ids[0], "HEAD", build=build, blocks=3))
    assert named(match) == [ids[2]]
    assert (match.layouts, match.between_builds) == (match.end_blocks, None)
    blocks = sorted(path.name for path in (tmp_path / "found").glob("001-*.lab"))
    assert blocks == [f"001-{block:03}.lab" for block in range(1, 13)]
    # The same again is read from the records.
    assert search(programs, tmp_path, asked(ids[0], "HEAD", build=build, blocks=3)) == match


def test_a_build_that_ignores_the_layout_ends_the_search(programs, tmp_path):
    ids = programs.line(2, 1)
    request = asked(ids[0], "HEAD", build="sh build # {layout}", blocks=3)
    with pytest.raises(UsageError, match="makes the same program with another"):
        search(programs, tmp_path, request)
    assert programs.git("worktree", "list").count("\n") == 0
