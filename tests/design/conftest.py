"""Experiments to lay out."""

from __future__ import annotations

import pytest

from steelyard.spec import experiment


def two_commands(**tables):
    return experiment(program={"commands": {"old": ["true"], "new": ["true"]}}, source="/", **tables)


@pytest.fixture(scope="session")
def compared():
    """Two commands, and further tables as keyword arguments."""
    return two_commands


@pytest.fixture(scope="session")
def varied():
    """One command that takes every factor, and further tables as keyword arguments."""

    def build(factors, **tables):
        names = [
            name
            for key, each in factors.items()
            for name in (each["zip"] if isinstance(each, dict) else [key])
        ]
        words = ["true", *(f"{{{name}}}" for name in names)]
        return experiment(program={"command": words}, factors=factors, source="/", **tables)

    return build
