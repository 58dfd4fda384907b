"""Experiments to lay out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from steelyard.spec import Experiment, experiment


def two_commands(**tables: Any) -> Experiment:
    return experiment(program={"commands": {"old": ["true"], "new": ["true"]}}, source="/", **tables)


@pytest.fixture(scope="session")
def compared() -> Callable[..., Experiment]:
    """Two commands, and further tables as keyword arguments."""
    return two_commands


@pytest.fixture(scope="session")
def varied() -> Callable[..., Experiment]:
    """One command that takes every factor, and further tables as keyword arguments."""

    def build(factors: Mapping[str, Any], **tables: Any) -> Experiment:
        names = [
            name
            for key, item in factors.items()
            for name in (item["zip"] if isinstance(item, dict) else [key])
        ]
        words = ["true", *(f"{{{name}}}" for name in names)]
        return experiment(program={"command": words}, factors=factors, source="/", **tables)

    return build
