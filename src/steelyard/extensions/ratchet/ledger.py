"""The ledger in a repository: read, checked, and written whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import RecordError, UsageError
from steelyard.extensions.ratchet.results import Attempt, Ledger
from steelyard.files.plain import read_plain, write_plain
from steelyard.files.unlisted import make_unlisted
from steelyard.store.lock import WriterLock

PLACE: Final = Path(".steelyard", "ratchet")
"""In the work tree; git does not see it."""
FILE: Final = "ledger.json"


def read_ledger(directory: Path) -> Ledger | None:
    """Return the ledger; ``None`` before the first try.

    Raises
    ------
    RecordError
        The ledger is damaged, or of a newer version.
    """
    file = directory / FILE
    content = read_plain(file, within=directory.parent.parent)
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=Ledger)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RecordError(
            f"{file} is not a ledger of ratchet: {error}", hint="put it back from a copy, or move it away"
        ) from None


@contextmanager
def lock_ledger(directory: Path) -> Iterator[None]:
    """Keep others from trying meanwhile: a test that one of two writers forgets would cost no error.

    Raises
    ------
    RecordBusyError
        Another process holds the ledger.
    """
    make_unlisted(directory)
    with WriterLock(directory / "lock"):
        yield


def write_ledger(directory: Path, ledger: Ledger) -> None:
    """Keep the ledger, whole or not at all."""
    content = msgspec.json.format(msgspec.json.encode(ledger), indent=2) + b"\n"
    write_plain(directory / FILE, content, within=directory.parent.parent)


def load_ledger(directory: Path) -> Ledger:
    """Return the ledger, which has to be there.

    Raises
    ------
    UsageError
        Nothing was tried yet.
    """
    ledger = read_ledger(directory)
    if ledger is None:
        raise UsageError(
            f"nothing was tried yet: {directory / FILE} does not exist",
            hint="steelyard ratchet try --build make -- ./prog input",
        )
    return ledger


def put_attempt(ledger: Ledger, attempt: Attempt) -> Ledger:
    """Return the ledger with one attempt put in its place, or added."""
    return replace(ledger, attempts=(*ledger.attempts[: attempt.number - 1], attempt))
