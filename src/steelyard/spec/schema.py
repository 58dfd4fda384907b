"""The JSON schema of a spec, for editors."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from steelyard.spec.claims.claim import list_kinds, struct_of
from steelyard.spec.tables.factors import Zip
from steelyard.spec.tables.launch import LaunchMethod
from steelyard.spec.tables.metrics import UserMetric
from steelyard.spec.tables.spec import SpecTable
from steelyard.spec.tables.values import keys_of


def schema() -> dict[str, Any]:
    """JSON schema (2020-12) of the tables of a spec.

    It knows types and ranges, not what goes across tables.
    """
    json_schema = msgspec.json.schema(SpecTable)
    # Each claim is a table of its kind; msgspec has no union of tables that are known by their first key.
    claims = [struct_of(key) for key in list_kinds()]
    kinds, components = msgspec.json.schema_components(claims)
    json_schema["$defs"] |= components
    json_schema["$defs"]["SpecTable"]["properties"]["claims"]["items"] = {"anyOf": list(kinds)}
    structs: list[type[msgspec.Struct]] = [UserMetric, Zip, *claims]
    for struct in structs:
        _leave_settable(json_schema["$defs"][struct.__name__], struct)
    for kind in get_args(LaunchMethod):
        tag = json_schema["$defs"][kind.__name__]["properties"]["kind"]
        tag["description"] = "The kind of launch, which says what other keys there are."
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Steelyard spec",
        **json_schema,
    }


def _leave_settable(table: dict[str, Any], struct: type[msgspec.Struct]) -> None:
    """Take out what is worked out, and the tag of a claim."""
    keys = keys_of(struct)
    table["properties"] = {key: value for key, value in table["properties"].items() if key in keys}
    table["required"] = [key for key in table["required"] if key in keys]
