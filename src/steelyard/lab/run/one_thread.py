"""Numpy without threads of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_THREADS: Final = "OPENBLAS_NUM_THREADS"


@contextmanager
def one_thread() -> Iterator[None]:
    """Where numpy is loaded within, its linear algebra starts no threads.

    It would start one for each further CPU, each of which works 60 ms to find nothing to do: beside the next
    trials where numpy is loaded for a look. Programs that are started later find the variable as it was.
    """
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before
