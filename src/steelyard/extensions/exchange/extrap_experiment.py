"""Extra-P's experiments, ``NAME.extra-p``.

A ZIP archive has ``experiment.json``, and the repetitions of each point beside it where they were kept.

Without them a point is its mean, the standard deviation of its repetitions and their number.
"""

from __future__ import annotations

import io
import math
import struct
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile, ZipFile

import numpy as np

from steelyard.core.errors import UsageError
from steelyard.core.series import Series
from steelyard.extensions.exchange.collect import Observations
from steelyard.files.reading import parse_json, read_bytes

SUFFIX: Final = ".extra-p"
_DOCUMENT: Final = "experiment.json"
_INDEX: Final = 24
"""Bytes before the positions of the arrays: sixteen of text, and how many there are."""
_LARGEST: Final = 2**31
"""Bytes of a member that are unpacked: an archive may hold a thousand times its own size."""
_HINT: Final = "save it again with Extra-P 4, or export its measurements as text or JSON"


def read(path: Path) -> tuple[Series, ...]:
    """All series of an experiment.

    Raises
    ------
    UsageError
        Not such an archive.
    """
    data = read_bytes(path, hint=_HINT)
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            document = parse_json(_read_member(archive, _DOCUMENT), str(path), hint=_HINT)
            return _find_series(document, _Values(archive))
    except (BadZipFile, KeyError, TypeError, ValueError, IndexError, struct.error, OSError) as error:
        text = str(error) or type(error).__name__
        raise UsageError(f"{path}: not an experiment of Extra-P: {text}", hint=_HINT) from None


def _read_member(archive: ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _LARGEST:
        raise ValueError(f"{name} is larger than {_LARGEST // 2**30} GiB")
    return archive.read(name)


class _Values:
    """The repetitions, by chunk and place; chunks are read when they are asked for."""

    def __init__(self, archive: ZipFile) -> None:
        self.archive = archive
        self.chunks: dict[int, tuple[tuple[int, ...], bytes]] = {}

    def read_at(self, chunk: int, place: int) -> list[float]:
        if chunk not in self.chunks:
            index = _read_member(self.archive, f"values/{int(chunk)}.indx")
            count = (len(index) - _INDEX) // 8
            positions = struct.unpack_from(f"<{count}Q", index, _INDEX)
            self.chunks[chunk] = positions, _read_member(self.archive, f"values/{int(chunk)}.vals")
        positions, data = self.chunks[chunk]
        array = np.lib.format.read_array(io.BytesIO(data[positions[place] :]), allow_pickle=False)
        return [float(value) for value in np.ravel(array)]


def _find_series(document: Any, values: _Values) -> tuple[Series, ...]:
    parameters = tuple(str(name) for name in document["parameters"])
    collected = Observations(parameters)
    for name, metrics in document["measurements"].items():
        for metric, points in metrics.items():
            for point in points:
                at = tuple(float(x) for x in point["coordinate"])
                if len(at) != len(parameters):
                    raise ValueError(f"a point of {name!r} has not {len(parameters)} coordinates")
                if point.get("values") is not None:
                    collected.add(name, metric, at, values.read_at(*point["values"]))
                    continue
                n = int(point.get("repetitions") or 1)
                if n > 1:
                    # The deviation is that of a population; the mean's uncertainty has n (n - 1) below.
                    u = float(point["std"]) / math.sqrt(n - 1)
                    collected.summarise(name, metric, at, float(point["mean"]), u, n)
                else:
                    collected.add(name, metric, at, [float(point["mean"])])
    return collected.series()
