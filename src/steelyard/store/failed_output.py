"""Output of failed trials, as files beside the tables; named by numbers, so that no name reaches a path."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from steelyard.files.plain import write_plain
from steelyard.run.measure.measurement import Measurement

BYTES_MAX: Final = 64 * 1024
"""Kept of each stream, from its beginning."""

TRIALS_MAX: Final = 200
"""After so many failed trials, the next ones tell nothing new: at most 25 MB."""


class FailedOutput:
    """The directory ``failed/``: ``TRIAL.stdout`` and ``TRIAL.stderr`` of the first trials that failed.

    Programs print secrets when they fail: only the owner may read it.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._names = {path.stem for path in directory.glob("*.std???")}

    def keep(self, measurements: Iterable[Measurement]) -> None:
        """Write what was captured; again the same files when the same trials come again.

        Raises
        ------
        OSError
            The disk is full, or the directory cannot be written.
        """
        for measurement in measurements:
            if measurement.status == "ok":
                continue
            streams = {"stdout": measurement.stdout, "stderr": measurement.stderr}
            if not any(streams.values()):
                continue
            name = str(measurement.trial)
            if name not in self._names and len(self._names) >= TRIALS_MAX:
                continue
            self._directory.mkdir(mode=0o700, exist_ok=True)
            self._names.add(name)
            for stream, captured in streams.items():
                if captured:
                    file = self._directory / f"{name}.{stream}"
                    write_plain(file, captured[:BYTES_MAX], within=self._directory.parent, mode=0o600)
