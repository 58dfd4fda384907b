"""Files of a folder, in the order in which people number them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_NUMBER: Final = re.compile(r"(\d+)")


def list_files(directory: Path) -> Iterator[Path]:
    """Yield the files below a folder, but for hidden ones; ``run10`` comes after ``run9``."""
    for path in sorted(directory.rglob("*"), key=lambda path: split_numbers(str(path))):
        parts = path.relative_to(directory).parts
        if path.is_file() and not any(part.startswith(".") for part in parts):
            yield path


def split_numbers(name: str) -> list[tuple[int, str]]:
    """Split a name into texts and numbers, by which names are ordered."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in _NUMBER.split(name)]
