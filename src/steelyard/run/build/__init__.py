"""Programs that the experiment builds: once per combination of the factors that the build names."""

from __future__ import annotations

from steelyard.run.build.builder import Builder, Built
from steelyard.run.build.recipe import Recipe

__all__ = ["Builder", "Built", "Recipe"]
