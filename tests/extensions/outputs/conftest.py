"""Files in ``files/``, which the tools themselves wrote, as files/README.md says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from steelyard.extensions.exchange.importers import FileContents, read, read_output

FILES = Path(__file__).parent / "files"


class Outputs:
    """What is read of files and of texts."""

    def file(self, name: str) -> FileContents:
        """What ``import`` reads of a file whose format it has to recognise."""
        return read(FILES / name)

    def text(self, name: str) -> str:
        """The text of a file."""
        return (FILES / name).read_text()

    def read(self, text: str, form: str | None = None) -> FileContents:
        """What is read of a text."""
        return read_output(text, "it", form)

    def values(self, contents: FileContents, metric: str) -> dict[str, tuple[tuple[float, ...], ...]]:
        """The launches of a metric, by title."""
        return {entry.title: entry.values for entry in contents.series if entry.metric == metric}

    def failures(self, contents: FileContents) -> list[tuple[Mapping[str, Any], str]]:
        """Levels and reason of each run that failed."""
        return [
            (dict(entry.levels), entry.reason)
            for entry in contents.failures
            for _ in range(entry.failed + entry.timed_out)
        ]


@pytest.fixture(scope="session")
def outputs() -> Outputs:
    return Outputs()


@pytest.fixture(scope="session")
def files() -> Callable[[], list[str]]:
    """Names of all files."""
    return lambda: sorted(path.name for path in FILES.iterdir() if path.name != "README.md")
