"""Files of series as the core asks for them; apart, so that a question about a record loads no reader."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from steelyard.core.series import CsvColumns, Series
    from steelyard.lab.answer.series_of_file import RunChoice, SeriesReader


class SeriesFiles:
    """Tables, JSON Lines, Extra-P's files, and directories of CUBE or Caliper's profiles."""

    def holds(self, directory: Path) -> bool:
        """Whether a directory is one of profiles."""
        from steelyard.extensions.exchange.caliper import holds_caliper
        from steelyard.extensions.exchange.cube import holds_profiles

        return holds_profiles(directory) or holds_caliper(directory)

    def read(
        self, path: Path, columns: CsvColumns | None, choice: RunChoice, *, inclusive: bool
    ) -> tuple[Series, ...]:
        """Read all series of a file, or of a directory of profiles."""
        from steelyard.extensions.exchange.caliper import holds_caliper, read
        from steelyard.extensions.exchange.files import read_series

        if holds_caliper(path):
            return read(path, choice.parameters, choice.by, choice.pool)
        return read_series(path, columns, inclusive=inclusive)


SERIES: Final[SeriesReader] = SeriesFiles()
