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
    if named.suffix != ".toml":
        return named.parent if named.name == "record.sqlite" else named
    directory = record_of_spec(named)
    if not directory.exists():
        raise UsageError(
            f"{named} has no record yet ({directory} does not exist)", hint=f"steelyard run {named}"
        )
    return directory
