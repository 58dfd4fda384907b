"""The small files by which a kernel describes its machine. Absence is ``None``: no kernel has all of them."""

from __future__ import annotations

from pathlib import Path


def text(path: Path) -> str | None:
    """Return the contents without surrounding space; ``None`` where the file is missing or unreadable."""
    try:
        return path.read_bytes().decode(errors="replace").strip()
    except OSError:
        return None


def number(path: Path) -> int | None:
    """Return the whole number in a file; ``None`` where it is absent or says something else (``max``)."""
    content = text(path)
    try:
        return None if content is None else int(content)
    except ValueError:
        return None


def chosen(path: Path) -> str | None:
    """Return the word in brackets of ``always [madvise] never``; ``None`` without file or choice."""
    words = (text(path) or "").split()
    return next((word[1:-1] for word in words if word.startswith("[") and word.endswith("]")), None)


def fields(path: Path, separator: str) -> dict[str, str]:
    """Return the lines ``name separator value`` of a file; of equal names the first.

    Without the file, there are none.
    """
    values: dict[str, str] = {}
    for line in (text(path) or "").splitlines():
        name, mark, value = line.partition(separator)
        if mark:
            values.setdefault(name.strip(), value.strip())
    return values
