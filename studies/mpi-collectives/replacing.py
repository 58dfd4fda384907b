"""Files of rows that several runs add to at once: each replaces its own rows and loses no other's."""

from __future__ import annotations

import csv
import fcntl
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path


def replace_rows(
    file: Path, columns: Sequence[str], make_rows: Callable[[], Iterable[Sequence[object]]]
) -> None:
    """Replace a CSV file by the rows that are made of it while nobody else replaces one beside it."""
    directory = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        partial = file.with_suffix(".partial")
        with partial.open("w", newline="", encoding="utf-8") as lines:
            writer = csv.writer(lines, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(make_rows())
        partial.replace(file)
    finally:
        os.close(directory)
