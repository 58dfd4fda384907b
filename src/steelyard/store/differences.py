"""Differences between two versions of a spec, in words."""

from __future__ import annotations

from typing import Any

import msgspec

_SHOWN = 72
"""Characters of a value that a message shows."""


def differences(old: Any, new: Any) -> list[str]:
    """One line for each key that differs, ``key.path: old → new``; both are what JSON can hold."""
    return _compare("", old, new)


def _compare(path: str, old: Any, new: Any) -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        lines = []
        for key in [*old, *(key for key in new if key not in old)]:
            lines += _compare(
                f"{path}.{key}".strip("."), old.get(key, msgspec.UNSET), new.get(key, msgspec.UNSET)
            )
        return lines
    if _is_named(old) and _is_named(new):
        names, new_names = [entry["name"] for entry in old], [entry["name"] for entry in new]
        lines = _compare(
            path, {entry["name"]: entry for entry in old}, {entry["name"]: entry for entry in new}
        )
        # Treatments are numbered in the order of the factors: another order is another experiment.
        if sorted(names) == sorted(new_names) and names != new_names:
            lines.append(f"{path}: order {', '.join(names)} → {', '.join(new_names)}")
        return lines
    # JSON has one kind of number, the design has two: 1 and 1.0, or 1 and true, are written differently.
    if type(old) is type(new) and encode_sorted(old) == encode_sorted(new):
        return []
    return [f"{path}: {_format_value(old)} → {_format_value(new)}"]


def _is_named(value: Any) -> bool:
    if not (isinstance(value, list) and all(isinstance(entry, dict) for entry in value)):
        return False
    names = [entry.get("name") for entry in value]
    return all(isinstance(name, str) for name in names) and len(set(names)) == len(names)


def encode_sorted(value: object) -> str:
    """Encode a value as JSON with sorted keys, so that equal values have equal texts."""
    return msgspec.json.encode(value, order="sorted").decode()


def _format_value(value: Any) -> str:
    if value is msgspec.UNSET or value is None:
        return "not set"
    text = encode_sorted(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
