"""A gate has its directory for itself: another that ends there would remove the trees that it measures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from steelyard.errors import RecordError
from steelyard.store.file_lock import lock_file

FILE: Final = "lock"


@contextmanager
def occupying(directory: Path) -> Iterator[None]:
    """Keep other gates out of the directory; the kernel ends that with the process, however it ends.

    Raises
    ------
    RecordError
        Another gate runs there.
    """
    descriptor = os.open(directory / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            lock_file(descriptor)
        except BlockingIOError:
            raise RecordError(
                f"{directory}: a gate runs there already",
                hint="wait for it, or name a directory of this one's own: -o NAME",
            ) from None
        except OSError:
            # A file system without locks: the records in it say the same of themselves.
            pass
        yield
    finally:
        os.close(descriptor)
