"""The JSON schema of a spec, for editors."""

from __future__ import annotations

from typing import Any

import msgspec

from steelyard.spec.tables import SpecTable


def schema() -> dict[str, Any]:
    """JSON schema (2020-12) of the tables of a spec; it knows types and ranges, not what goes across
    tables.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Steelyard spec",
        **msgspec.json.schema(SpecTable),
    }
