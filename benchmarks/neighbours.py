"""Others on the machine, for benchmarks that are not to be measured in a laboratory's silence."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def busy(count: int = 1) -> Iterator[None]:
    """So many processes that compute all the time."""
    loads = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        yield
    finally:
        for item in loads:
            item.kill()
            item.wait()
