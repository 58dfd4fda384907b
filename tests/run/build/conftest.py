"""Sources and caches for builds."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from steelyard.run.build import Builder
from steelyard.spec.experiment import Build

NOBODY = 65534
TEMPORARY = Path(tempfile.gettempdir())


class Workshop:
    """A source directory and a cache of its own."""

    def __init__(self, directory: Path) -> None:
        self.source = directory / "source"
        self.cache = directory / "cache"
        self.source.mkdir()

    def write(self, name: str, text: str, *, mode: int = 0o644) -> Path:
        """A file of the source."""
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def builder(self, *command: str, inputs: tuple[str, ...] = ("**",), **options: Any) -> Builder:
        """A builder of its own, as another ``run`` would have it."""
        return Builder(Build(command=command, inputs=inputs, **options), self.source, root=self.cache)

    def shell(self, script: str, **options: Any) -> Builder:
        """A builder that counts, in ``count`` beside the source, how often it really builds."""
        counting = f"echo x >> '{self.count_file}'; {script}"
        return self.builder("/bin/sh", "-c", counting, **options)

    @property
    def count_file(self) -> Path:
        return self.source.parent / "count"

    @property
    def builds(self) -> int:
        return len(self.count_file.read_text().split()) if self.count_file.exists() else 0


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


@pytest.fixture
def as_nobody() -> Callable[..., Any]:
    """``with as_nobody(directory):`` inside, this process owns the directory and has no other rights."""

    @contextmanager
    def lower(directory: Path) -> Iterator[None]:
        if os.geteuid() != 0:
            yield
            return
        for path in (directory, *directory.parents):
            if path.stat().st_uid == 0 and path.is_relative_to(TEMPORARY):
                path.chmod(path.stat().st_mode | 0o055)
        for path in (directory, *directory.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)

    return lower
