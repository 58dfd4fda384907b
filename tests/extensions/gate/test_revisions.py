"""Which commit a gate holds head against."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from scratch_repository import ScratchRepository

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.gate.revisions import identify
from steelyard.extensions.repository.repository import Repository


@pytest.fixture
def forked(tmp_path):
    """``main`` and ``change`` have each gone on since ``change`` left ``main``."""
    repository = ScratchRepository(tmp_path / "repository")
    fork = repository.commit(message="fork")
    repository.git("checkout", "-q", "-b", "change")
    head = repository.commit(message="of the change")
    repository.git("checkout", "-q", "main")
    tip = repository.commit(message="of others")
    repository.git("checkout", "-q", "change")
    return repository, fork, tip, head


def find(repository, base="main", head="HEAD", environ=None, **changes):
    request = GateRequest(base=base, head=head, words=("./bench",), **changes)
    return identify(request, Repository(repository.path), environ or {})


def test_base_is_where_head_left_the_branch_and_the_answer_says_so(forked):
    repository, fork, tip, head = forked
    request = find(repository)
    assert (request.base, request.head) == (fork, head)
    assert request.origin == (
        f"Base is {fork[:12]}, where HEAD left main; --base-tip compares with main ({tip[:12]}) itself."
    )


def test_the_tip_is_compared_where_it_is_asked_for(forked):
    repository, _, tip, _ = forked
    request = find(repository, is_tip=True)
    assert request.base == tip
    assert request.origin == f"Base is main ({tip[:12]}) itself."


def test_an_ancestor_of_head_is_compared_as_it_is(forked):
    repository, fork, _, _ = forked
    request = find(repository, base="HEAD~1")
    assert request.base == fork
    assert request.origin == ""


def merge_for_pull_request(repository):
    """What GitHub checks out: the merge of the change into the branch as it is now."""
    repository.git("checkout", "-q", "--detach", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "merge of the pull request", "change")


def announce(commit):
    """What each server sets for a merge that it made."""
    return [
        {"GITHUB_REF": "refs/pull/7/merge", "GITHUB_SHA": commit},
        {"CI_MERGE_REQUEST_EVENT_TYPE": "merged_result", "CI_COMMIT_SHA": commit},
        {"CI_MERGE_REQUEST_EVENT_TYPE": "merge_train", "CI_COMMIT_SHA": commit},
        {"BUILD_SOURCEBRANCH": "refs/pull/7/merge", "BUILD_SOURCEVERSION": commit},
    ]


@pytest.mark.parametrize("server", range(4))
def test_the_merge_of_a_pull_request_is_held_against_its_first_parent(forked, server):
    repository, fork, tip, _ = forked
    merge_for_pull_request(repository)
    merge = repository.git("rev-parse", "HEAD")
    # The event names the branch as it was when the pull request was opened.
    request = find(repository, base=fork, environ=announce(merge)[server])
    assert request.base == tip
    assert request.origin == f"Base is {tip[:12]}, the first parent of the merge {merge[:12]}."


@pytest.mark.parametrize("environ", [{}, *announce("0" * 40)])
def test_a_merge_that_no_build_server_made_is_held_against_what_is_named(forked, environ):
    repository, fork, _, _ = forked
    merge_for_pull_request(repository)
    assert find(repository, base=fork, environ=environ).base == fork


def test_a_branch_merged_into_the_change_is_no_first_parent(forked):
    repository, _, tip, _ = forked
    repository.git("merge", "-q", "--no-ff", "-m", "main into the change", "main")
    assert find(repository).base == tip


@pytest.mark.parametrize(
    "environ",
    [
        {"GITHUB_REF": "refs/pull/7/merge", "GITHUB_BASE_REF": "main", "GITHUB_SHA": "0" * 40},
        {"CI_MERGE_REQUEST_EVENT_TYPE": "detached", "CI_MERGE_REQUEST_IID": "7", "CI_COMMIT_SHA": "HEAD"},
        {"CHANGE_ID": "7"},
        {"BITBUCKET_PR_ID": "7"},
        {"CIRCLE_PULL_REQUEST": "https://example.org/pull/7"},
    ],
)
def test_a_merge_by_the_author_hides_no_commit_of_a_pull_request(forked, environ):
    repository, fork, _, head = forked
    repository.git("checkout", "-q", "-b", "helper", fork)
    repository.commit(message="of a colleague")
    repository.git("checkout", "-q", "change")
    repository.git("merge", "-q", "--no-ff", "-m", "a colleague's branch", "helper")
    merge = repository.git("rev-parse", "HEAD")
    environ = {name: merge if value == "HEAD" else value for name, value in environ.items()}
    assert repository.git("rev-parse", "HEAD^1") == head
    assert find(repository, base=fork, environ=environ).base == fork


@pytest.mark.parametrize(("base", "head"), [("change", "HEAD"), ("HEAD", "HEAD"), ("change", "main~1")])
def test_equal_sides_are_refused_before_anything_runs(forked, base, head):
    repository, *_ = forked
    with pytest.raises(UsageError, match=r"are the same commit, .{12}: nothing to judge") as caught:
        find(repository, base=base, head=head)
    assert "HEAD~1" in caught.value.hint


def test_equal_sides_with_uncommitted_changes_are_told_to_commit_them(forked):
    repository, *_ = forked
    (repository.path / "file").write_text("1")
    repository.commit("file")
    (repository.path / "file").write_text("2")
    with pytest.raises(UsageError) as caught:
        find(repository, base="HEAD")
    assert caught.value.hint == "commit the change first: only commits are measured"


def test_histories_that_share_nothing_are_refused_with_the_option_that_compares_them(forked):
    repository, *_ = forked
    repository.git("checkout", "-q", "--orphan", "other")
    head = repository.commit(message="another root")
    with pytest.raises(UsageError, match="main and HEAD have no commit in common here") as caught:
        find(repository)
    assert "--base-tip" in caught.value.hint
    assert find(repository, is_tip=True).head == head


def clone(repository, place, *words):
    subprocess.run(
        ["git", "clone", "-q", *words, f"file://{repository.path}", str(place)],
        env=repository.env,
        capture_output=True,
        check=True,
    )
    return Repository(place)


def test_a_shallow_clone_without_the_common_commit_says_how_to_fetch_it(forked, tmp_path):
    repository, *_ = forked
    shallow = clone(repository, tmp_path / "shallow", "--depth=1", "--no-single-branch")
    request = GateRequest(base="origin/main", head="HEAD", words=("./bench",))
    with pytest.raises(UsageError, match="no commit in common") as caught:
        identify(request, shallow, {})
    assert "git fetch --unshallow" in caught.value.hint


def test_a_shallow_clone_whose_only_commit_is_base_and_head_says_how_to_fetch_more(forked, tmp_path):
    repository, *_ = forked
    shallow = clone(repository, tmp_path / "shallow", "--depth=1")
    with pytest.raises(UsageError, match="the same commit") as caught:
        identify(GateRequest(base="HEAD", head="HEAD", words=("./bench",)), shallow, {})
    assert "git fetch --unshallow" in caught.value.hint


def test_a_repository_without_a_commit_says_so(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], capture_output=True, check=True)
    with pytest.raises(UsageError, match="'HEAD' names no commit") as caught:
        Repository(tmp_path).commit("HEAD")
    assert "before the first commit" in caught.value.hint


def test_a_branch_that_is_only_at_the_remote_is_named_as_it_is_here(forked, tmp_path):
    repository, *_ = forked
    result = clone(repository, tmp_path / "clone", "--branch=change")
    with pytest.raises(UsageError, match="'main' names no commit") as caught:
        identify(GateRequest(base="main", head="HEAD", words=("./bench",)), result, {})
    assert caught.value.hint == "it is not a branch here, but origin/main is: name that"


def test_a_branch_that_was_not_fetched_is_named_with_the_command_that_does(forked, tmp_path):
    repository, *_ = forked
    single = clone(repository, tmp_path / "single", "--single-branch", "--branch=change")
    with pytest.raises(UsageError) as caught:
        identify(GateRequest(base="main", head="HEAD", words=("./bench",)), single, {})
    command, _, rest = caught.value.hint.partition(", then ")
    assert (command, rest.split(";")[0]) == ("git fetch origin main:refs/remotes/origin/main", "origin/main")
    subprocess.run(shlex.split(command), cwd=tmp_path / "single", check=True, capture_output=True)
    assert identify(GateRequest(base="origin/main", head="HEAD", words=("./bench",)), single, {})


def test_one_directory_for_both_sides_is_refused(tmp_path):
    request = GateRequest(base=str(tmp_path), head=f"{tmp_path}/.", words=("./bench",), are_directories=True)
    with pytest.raises(UsageError, match="the same directory"):
        identify(request, None, {})


def test_the_place_in_the_repository_is_where_the_gate_was_started(forked):
    repository, *_ = forked
    (repository.path / "sub" / "deep").mkdir(parents=True)
    request = GateRequest(base="main", head="HEAD", words=("./bench",))
    assert identify(request, Repository(repository.path / "sub" / "deep"), {}).place == "sub/deep"
    assert find(repository).place == "."
