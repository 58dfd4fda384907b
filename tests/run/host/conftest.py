"""Trees of small files, as the kernels of other machines would show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest


@pytest.fixture
def machine(tmp_path: Path) -> Callable[[Mapping[str, str]], Path]:
    """``machine({path: text})``: a root directory that holds these files."""

    def make(files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return make
