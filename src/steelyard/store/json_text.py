"""JSON for the tables: in the order given where that means something, else in one order."""

from __future__ import annotations

from typing import Any

import msgspec


def as_given(value: Any) -> str:
    """JSON with keys in their order: factors and settings have one."""
    return msgspec.json.encode(value).decode()


def canonical(value: Any) -> str:
    """JSON with sorted keys, so that equal things are equal texts."""
    return msgspec.json.encode(value, order="sorted").decode()
