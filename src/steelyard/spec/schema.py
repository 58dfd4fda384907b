"""The JSON schema of a spec, for editors."""

from __future__ import annotations

from typing import Any

import msgspec

from steelyard.spec.claims.tables import CLAIM_TABLES
from steelyard.spec.tables.spec import SpecTable


def schema() -> dict[str, Any]:
    """JSON schema (2020-12) of the tables of a spec; it knows types and ranges, not what goes across
    tables.
    """
    whole = msgspec.json.schema(SpecTable)
    # Each claim is a table of its kind; msgspec has no union of tables that are known by their first key.
    kinds, components = msgspec.json.schema_components(CLAIM_TABLES.values())
    whole["$defs"] |= components
    whole["$defs"]["SpecTable"]["properties"]["claims"]["items"] = {"anyOf": list(kinds)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Steelyard spec",
        **whole,
    }
