"""Specs in few words: a text becomes an experiment, or the error that refuses it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from steelyard.core.errors import SpecError
from steelyard.spec import Experiment, loads

PROGRAM = '[program]\ncommand = ["prog"]\n'


def _whole(text: str) -> str:
    return text if "[program]" in text else PROGRAM + text


@pytest.fixture(scope="session")
def read() -> Callable[..., Experiment]:
    """The experiment of a text; a text without [program] gets one."""

    def read(text: str, **options: Any) -> Experiment:
        return loads(_whole(text), source="/lab", name="spec.toml", **options)

    return read


@pytest.fixture(scope="session")
def refused() -> Callable[..., tuple[str, str]]:
    """The error of a text, as ``key.path: what`` and its hint; each names the file and how to cure it."""

    def refused(text: str, **options: Any) -> tuple[str, str]:
        with pytest.raises(SpecError) as caught:
            loads(_whole(text), source="/lab", name="spec.toml", **options)
        message, hint = caught.value.message, caught.value.hint
        assert re.match(r"spec\.toml(:\d+)*: ", message), message
        assert hint
        assert message.isprintable()
        assert hint.isprintable()
        assert not message.endswith(".")
        return re.sub(r"^spec\.toml(:\d+)*: ", "", message), hint

    return refused
