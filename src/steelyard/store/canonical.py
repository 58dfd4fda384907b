"""JSON in one form only, so that equal things are equal texts."""

from __future__ import annotations

from typing import Any

import msgspec


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces."""
    return msgspec.json.encode(value, order="sorted").decode()
