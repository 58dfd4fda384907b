"""The order of a history: by the commits that records are named after, or by when they were made."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.extensions.repository.repository import Repository
from steelyard.results.left_out import LeftOut
from steelyard.store.summaries import Condensed

_ID: Final = re.compile(r"(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])")


class Ordered(msgspec.Struct, frozen=True):
    """Records in order.

    Attributes
    ----------
    line : sequence of str
        Every commit from the first to the last, those without a record too.
    records : Mapping[str, sequence of Condensed]
        By commit, in the order of ``line``.
    left_out : tuple of LeftOut
        Records that have no place in it.
    unmeasured : int
        Commits behind the last of ``line``.
    """

    line: Sequence[str]
    records: Mapping[str, Sequence[Condensed]]
    left_out: tuple[LeftOut, ...] = ()
    unmeasured: int = 0


def order_by_time(records: Iterable[Condensed]) -> Ordered:
    """Order by when the records were made; each has the name of its directory, or its path."""
    ascending = sorted(records, key=lambda record: (record.created_ns, record.name))
    stems = Counter(Path(record.name).stem for record in ascending)
    named = {
        stem if stems[stem := Path(record.name).stem] == 1 else record.name: [record] for record in ascending
    }
    return Ordered(list(named), named)


def order_by_commit(records: Iterable[Condensed], repository: Repository, revision: str) -> Ordered:
    """Order by the first parents of a revision.

    A record belongs to the commit whose id, or at least seven digits of it, stands in its path; the last such
    one where there are several.

    Raises
    ------
    UsageError
        The revision names no commit.
    """
    line = repository.first_parents(repository.commit(revision))
    ids = sorted(line)
    by_hash: dict[str, list[Condensed]] = {}
    left_out = []
    for record in sorted(records, key=lambda record: record.created_ns):
        named = _ID.findall(record.name)
        commits = [commit for word in reversed(named) if (commit := _complete(word, ids)) is not None]
        if commits:
            by_hash.setdefault(commits[0], []).append(record)
        else:
            why = f"has no commit of {revision}'s first parents in its name"
            left_out.append(LeftOut(record.name, why))
    measured = [place for place, commit in enumerate(line) if commit in by_hash]
    between = line[measured[0] : measured[-1] + 1] if measured else []
    return Ordered(
        between,
        {commit: by_hash[commit] for commit in between if commit in by_hash},
        tuple(left_out),
        unmeasured=len(line) - 1 - measured[-1] if measured else 0,
    )


def _complete(word: str, ids: Sequence[str]) -> str | None:
    """Return the one id that begins with ``word``, of ascending ones."""
    place = bisect_left(ids, word)
    fits = [text for text in ids[place : place + 2] if text.startswith(word)]
    return fits[0] if len(fits) == 1 else None
