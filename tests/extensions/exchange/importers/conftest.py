"""Files of other tools: those in ``files/`` were made by the tools themselves, as files/README.md says;
the others are written here by the format of each, for what a tool cannot be made to write at will.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

FILES = Path(__file__).parent / "files"


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """A file with this content, JSON unless it is text."""

    def write(content: object, name: str = "results.json") -> Path:
        file = tmp_path / name
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    return write


@pytest.fixture
def made_by_the_tool() -> Callable[[str], Path]:
    """A file that the tool itself made."""
    return lambda name: FILES / name
