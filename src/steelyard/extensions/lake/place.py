"""Which names are places of lakes; apart, so that who asks of a record loads nothing of lakes."""

from __future__ import annotations

from pathlib import Path

from steelyard.files.urls import is_url


def is_lake(place: Path | str) -> bool:
    """Whether a name is the place of a lake: a URL, or a directory in which specs, days or facts lie."""
    if isinstance(place, str):
        return is_url(place)
    if not place.is_dir():
        return False
    if place.name.startswith(("spec=", "day=")):
        return True
    return any(entry.name.startswith("spec=") and entry.is_dir() for entry in place.iterdir())
