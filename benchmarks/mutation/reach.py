"""Which tests call which functions of the room, and how long each test takes."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import altered
import pytest


@dataclass(slots=True)
class Reach:
    """What one run of all tests showed."""

    tests: dict[str, set[str]] = field(default_factory=dict)
    """Node id of a test: ``module:function`` of what it calls, its fixtures included."""
    took_s: dict[str, float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def of(self, function: str, near: str) -> list[str]:
        """The tests that call a function: those in files named ``near`` first, then the quick ones."""
        result = [test for test, reached in self.tests.items() if function in reached]
        return sorted(result, key=lambda test: (near not in test, self.took_s[test], test))


class Tracer:
    """A plug-in of pytest that fills in a ``Reach``."""

    def __init__(self) -> None:
        self.reach = Reach()
        self._fixtures: dict[str, set[str]] = {}
        self._caches: list[Any] = []
        self._caching = functools.lru_cache
        # What a cache answers, nobody is seen to call: every test begins with empty ones.
        functools.lru_cache = self._remembering

    def _remembering(self, *arguments: Any, **options: Any) -> Any:
        result = self._caching(*arguments, **options)

        def decorate(function: Callable[..., Any]) -> Any:
            self._caches.append(result(function))
            return self._caches[-1]

        if hasattr(result, "cache_clear"):
            self._caches.append(result)
            return result
        return decorate

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """A fixture that is made once is part of every test that asks for it."""
        before = altered.REACHED.copy()
        altered.REACHED.clear()
        try:
            return (yield)
        finally:
            self._fixtures.setdefault(fixturedef.argname, set()).update(altered.REACHED)
            altered.REACHED.update(before)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note what a test calls."""
        for cache in self._caches:
            cache.cache_clear()
        altered.REACHED.clear()
        started = time.monotonic()
        try:
            return (yield)
        finally:
            fixtures = (self._fixtures.get(name, set()) for name in getattr(item, "fixturenames", ()))
            self.reach.tests[item.nodeid] = altered.REACHED.union(*fixtures)
            self.reach.took_s[item.nodeid] = time.monotonic() - started

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what fails where nothing was changed."""
        if report.failed:
            self.reach.failed.append(report.nodeid)
