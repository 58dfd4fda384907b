"""All that is shown on a page; in a copy without growth or history (``./dev test alone``), without theirs."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from answers.pages import PAGES, held_to_a_rule

PRESENTABLE: list[Callable[[], Any]] = [*PAGES]
if find_spec("steelyard.extensions.growth") is not None:
    PRESENTABLE.append(held_to_a_rule)
if find_spec("steelyard.extensions.history") is not None:
    from answers.histories import HISTORIES

    PRESENTABLE += HISTORIES
