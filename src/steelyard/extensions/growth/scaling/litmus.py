"""The performance litmus test of Shudler et al. 2019, § 2.2: is it the machine, or the library?

A re-implementation whose growth is known under ideal conditions is measured beside the library. If it
misses its own expectation too, the machine (network, noise, neighbours) is the likely cause; if it keeps
it, the library is.
"""

from __future__ import annotations

from typing import Literal

from steelyard.extensions.growth.scaling.model import ScalingModel

Cause = Literal["machine", "library", "unknown"]


def cause(model: ScalingModel, litmus: ScalingModel) -> Cause | None:
    """Who is to blame for a rank that is none; ``None`` where there is nothing to blame anybody for."""
    if model.validation is None or model.validation.rank != "none":
        return None
    if litmus.validation is None or litmus.validation.rank == "undecided":
        return "unknown"
    return "machine" if litmus.validation.rank == "none" else "library"
