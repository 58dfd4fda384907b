"""Both profiles as one file for speedscope (https://www.speedscope.app/file-format-schema.json)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.extensions.explain.collapsed import list_frames
from steelyard.extensions.explain.profiles import Chain
from steelyard.results.document import write_json


def write_speedscope(profiles: Mapping[str, Mapping[Chain, float]], name: str) -> str:
    """Write profiles, each under its name: seconds by chain."""
    functions = list_frames(chain for weights in profiles.values() for chain in weights)
    places = {function: number for number, function in enumerate(functions)}
    frames = [
        {"name": function.name}
        | ({"file": function.file or function.place} if function.file or function.place else {})
        | ({"line": function.line} if function.line else {})
        for function in functions
    ]
    entries: list[dict[str, Any]] = [
        {
            "type": "sampled",
            "name": title,
            "unit": "seconds",
            "startValue": 0,
            "endValue": sum(weights.values()),
            "samples": [[places[function] for function in chain] for chain in weights],
            "weights": [*weights.values()],
        }
        for title, weights in profiles.items()
    ]
    return write_json(
        {
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "shared": {"frames": frames},
            "profiles": entries,
            "name": name,
            "exporter": "steelyard",
        }
    )
