"""The commits that a gate compares: head, and what it is to be held against.

That is not the tip of a branch, which has what others merged since: a change of documentation would be blamed
for it. It is the commit where head left the branch or, of the merge that a build server made of a pull
request, the first parent.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.repository.repository import DEEPEN, Repository
from steelyard.extensions.repository.trees import DIGITS


class _Announcement(NamedTuple):
    """How a build server says that it merged a pull request into its branch.

    Attributes
    ----------
    variable, pattern : str
        A variable, and the values it has for such a merge alone.
    commit : str
        The variable with the id of the merge.
    """

    variable: str
    pattern: str
    commit: str


_ANNOUNCEMENTS: Final = (
    _Announcement("GITHUB_REF", r"refs/pull/\d+/merge", "GITHUB_SHA"),
    _Announcement("CI_MERGE_REQUEST_EVENT_TYPE", "merged_result|merge_train", "CI_COMMIT_SHA"),
    _Announcement("BUILD_SOURCEBRANCH", r"refs/pull/\d+/merge", "BUILD_SOURCEVERSION"),
)
"""Of GitHub, GitLab and Azure. That a pull request is built is not enough: elsewhere its last commit may be a
merge that its author made, whose first parent is the change itself."""


def identify(
    request: GateRequest, repository: Repository | None, environ: Mapping[str, str] = os.environ
) -> GateRequest:
    """Return the request with ids of commits, which mean the same when a branch has moved on.

    Raises
    ------
    UsageError
        A revision names no commit, base and head have none in common, or they are the same.
    """
    if repository is None:
        request = replace(
            request, base=str(Path(request.base).absolute()), head=str(Path(request.head).absolute())
        )
        if Path(request.base).resolve() == Path(request.head).resolve() and not request.is_null:
            raise UsageError(
                f"base and head are the same directory, {request.base}: nothing to judge",
                hint="name two: --base-dir OLD --head-dir NEW",
            )
        return request
    head = repository.commit(request.head)
    request = replace(request, place=str(repository.place))
    if request.is_null:
        return replace(request, base=head, head=head)
    base, origin = _choose_base(request, repository, head, environ)
    if base == head:
        raise UsageError(
            f"base and head are the same commit, {head[:DIGITS]}: nothing to judge",
            hint="commit the change first: only commits are measured"
            if repository.dirty
            else DEEPEN
            if repository.shallow
            else "name an older base, as in steelyard gate HEAD~1; --qualify measures equal sides",
        )
    return replace(request, base=base, head=head, origin=origin)


def _choose_base(
    request: GateRequest, repository: Repository, head: str, environ: Mapping[str, str]
) -> tuple[str, str]:
    """Return the commit to compare with, and what it is in a sentence."""
    name, tip = request.base, repository.commit(request.base)
    if request.is_tip:
        return tip, f"Base is {_format(name, tip)} itself."
    parents = repository.list_parents(head)
    if len(parents) > 1 and is_merge_of_server(head, environ) and repository.is_ancestor(tip, parents[0]):
        first = parents[0]
        return first, f"Base is {first[:DIGITS]}, the first parent of the merge {head[:DIGITS]}."
    common = repository.find_merge_base(tip, head)
    if common is None:
        raise UsageError(
            f"{name} and {request.head} have no commit in common here",
            hint=DEEPEN if repository.shallow else "--base-tip compares them all the same",
        )
    if common == tip:
        return tip, ""
    return common, (
        f"Base is {common[:DIGITS]}, where {request.head} left {name}; --base-tip compares with"
        f" {_format(name, tip)} itself."
    )


def _format(name: str, commit: str) -> str:
    return name if commit.startswith(name) else f"{name} ({commit[:DIGITS]})"


def is_merge_of_server(commit: str, environ: Mapping[str, str]) -> bool:
    """Whether a build server made this commit, to see a pull request merged into its branch."""
    return any(
        re.fullmatch(entry.pattern, environ.get(entry.variable, "")) is not None
        and environ.get(entry.commit) == commit
        for entry in _ANNOUNCEMENTS
    )
