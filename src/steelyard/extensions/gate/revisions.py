"""The commits that a gate compares: head, and what it is to be held against.

That is not the tip of a branch, which has what others merged since: a change of documentation would be blamed
for it. It is the commit where head left the branch or, of the merge that a build server made of a pull
request, the first parent.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.request import GateRequest
from steelyard.lab.repository.repository import DEEPEN, Repository
from steelyard.lab.repository.trees import DIGITS

_PULL_REQUEST: Final = (
    "GITHUB_BASE_REF",
    "CI_MERGE_REQUEST_IID",
    "CHANGE_ID",
    "SYSTEM_PULLREQUEST_PULLREQUESTID",
    "BITBUCKET_PR_ID",
    "CIRCLE_PULL_REQUEST",
)
"""Variables that GitHub, GitLab, Jenkins, Azure, Bitbucket and CircleCI set for a pull request alone."""


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
    if len(parents) > 1 and is_pull_request(environ) and repository.is_ancestor(tip, parents[0]):
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


def is_pull_request(environ: Mapping[str, str]) -> bool:
    """Whether a build server checked out the merge of a pull request."""
    return any(environ.get(name) not in (None, "", "false") for name in _PULL_REQUEST)
