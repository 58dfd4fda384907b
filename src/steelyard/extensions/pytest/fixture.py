"""``steelyard``, the fixture: times the function that a test hands it.

And pytest-benchmark's, with the same signature.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import pytest

from steelyard.extensions.pytest.loop import Loop, calibrate, quiet_memory
from steelyard.extensions.pytest.settling import Warmup, settle
from steelyard.extensions.pytest.statistics import Metadata, Statistics


class TimedTest:
    """Everything that one test measures, over all of its passes.

    Attributes
    ----------
    values : list of float
        Seconds of one call, one a pass.
    calls : int
        Of one timing; 0 before the first pass.
    warmup : Warmup or None
        What the first pass found, whose times do not count.
    called : bool
        Whether the test measured anything in this pass.
    last_s : float or None
        Seconds of one call in the latest timing, that after the warm-up included.
    """

    def __init__(self, least_s: float) -> None:
        self.least_s = least_s
        self.calls = 0
        self.warmup: Warmup | None = None
        self.values: list[float] = []
        self.called = False
        self.last_s: float | None = None

    def take(self, loop: Loop | Prepared) -> None:
        """Add one value; in the first pass, find the calls of a timing and the warm-up."""
        if self.called:
            raise pytest.UsageError(
                "a test measures one function, and this one called the fixture twice: write two tests, or"
                " parametrize one"
            )
        self.called = True
        with quiet_memory():
            if self.warmup is None:
                if isinstance(loop, Loop):
                    loop = calibrate(loop.function, self.least_s)
                self.calls, self.warmup = loop.calls, settle(loop)
                self.last_s = loop.time()
            else:
                loop.calls = self.calls
                self.last_s = loop.time()
                self.values.append(self.last_s)


class Steelyard:
    """The fixture: ``steelyard(function, *args, **kwargs)`` returns what the function returns."""

    def __init__(self, timed: TimedTest | None) -> None:
        self._timed = timed

    def __call__(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Call the function once, and time it unless nothing is timed in this session.

        Raises
        ------
        pytest.UsageError
            The call only makes a coroutine, whose time would be that of making it.
        """
        result = _finish(function, function(*args, **kwargs))
        if self._timed is not None:
            self._timed.take(Loop(partial(function, *args, **kwargs) if args or kwargs else function))
        return result


def _finish(function: Callable[..., Any], result: Any) -> Any:
    """Return the result of a call, unless what was called has not run yet."""
    if not (inspect.iscoroutine(result) or inspect.isasyncgen(result)):
        return result
    if inspect.iscoroutine(result):
        result.close()
    name = getattr(function, "__name__", repr(function))
    raise pytest.UsageError(
        f"{name} is async: calling it starts nothing, so there is nothing to time; time a plain function"
        f" that runs it: lambda: asyncio.run({name}(...))"
    )


class Prepared:
    """A function that ``setup`` and ``teardown`` surround in every call, whose time does not count."""

    def __init__(
        self,
        target: Callable[..., Any],
        setup: Callable[[], tuple[Sequence[Any], Mapping[str, Any]]],
        teardown: Callable[..., Any] | None,
    ) -> None:
        self.target, self.setup, self.teardown = target, setup, teardown
        self.calls = 1
        self.result: Any = None

    def time(self) -> float:
        """Seconds per call of one timing."""
        spent = 0.0
        for _ in range(self.calls):
            args, kwargs = self.setup()
            start = perf_counter()
            self.result = self.target(*args, **kwargs)
            spent += perf_counter() - start
            if self.teardown is not None:
                self.teardown(*args, **kwargs)
        return spent / self.calls


class Benchmark(Steelyard):
    """pytest-benchmark's fixture: the same call, ``pedantic``, ``stats``, ``extra_info`` and ``group``."""

    def __init__(self, timed: TimedTest | None) -> None:
        super().__init__(timed)
        self.extra_info: dict[str, Any] = {}
        self.group: str | None = None
        self.enabled = timed is not None

    @property
    def stats(self) -> Metadata | None:
        """Statistics of the values so far; ``None`` before the call, and where nothing is timed."""
        timed = self._timed
        if timed is None or timed.last_s is None or not timed.called:
            return None
        return Metadata(Statistics(timed.values or [timed.last_s]), timed.calls)

    def pedantic(
        self,
        target: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        setup: Callable[[], Any] | None = None,
        teardown: Callable[..., Any] | None = None,
        **of_rounds: int,
    ) -> Any:
        """Call ``target`` once, and time it.

        What ``setup`` returns are the arguments of each call; its time does not count. Steelyard finds how
        many calls there are; with a ``setup`` or a ``teardown``, ``iterations`` says how many make one value.
        """
        if setup is None and teardown is None:
            return self(target, *args, **kwargs or {})

        def arguments() -> tuple[Sequence[Any], Mapping[str, Any]]:
            arguments_of = setup() if setup is not None else None
            return arguments_of if arguments_of is not None else (args, kwargs or {})

        prepared = Prepared(target, arguments, teardown)
        prepared.time()
        result = _finish(target, prepared.result)
        if self._timed is not None:
            prepared.calls = of_rounds.get("iterations", 1)
            self._timed.take(prepared)
        return result
