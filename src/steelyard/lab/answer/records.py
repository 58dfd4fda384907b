"""Which record belongs to what a user names: the record itself, or the spec beside it."""

from __future__ import annotations

from pathlib import Path

from steelyard.errors import UsageError


def record_of_spec(spec: Path) -> Path:
    """``NAME.lab`` beside ``NAME.toml``."""
    return spec.absolute().with_suffix(".lab")


def find_record(named: Path) -> Path:
    """The record that ``named`` is, holds (its ``record.sqlite``), or is the spec of.

    Raises
    ------
    UsageError
        A spec that has no record yet.
    """
    if named.name == "record.sqlite":
        return named.parent
    if not named.is_file() and named.suffix != ".toml":
        return named
    directory = record_of_spec(named)
    if not directory.exists():
        raise UsageError(
            f"{named} has no record yet ({directory} does not exist)", hint=f"steelyard run {named}"
        )
    return directory
