"""Options of commands that read reports, for those that are tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.cli.declared import Options, declare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steelyard.core.units import Better
    from steelyard.extensions.exchange.importers import Chosen


class TableOptions(Options):
    """Columns of reports that are tables."""

    value: tuple[str, ...] = declare(
        "Reports that are tables: column of a metric. Repeatable.", metavar="COLUMN"
    )
    by: tuple[str, ...] = declare(
        "Reports that are tables: column that distinguishes tests. Repeatable.", metavar="COLUMN"
    )
    unit: str | None = declare(
        "Reports that are tables: unit of the metrics, where the header says none.", metavar="UNIT"
    )

    def choose(self, better: Better | None = None, sides: Mapping[str, Better] | None = None) -> Chosen:
        """Return the columns; ``better`` is the side that is better, where units do not say it.

        ``sides`` are those of metrics that have one of their own.
        """
        from steelyard.extensions.exchange.importers import Chosen

        return Chosen(self.value, self.by, self.unit, better, sides=sides or {})
