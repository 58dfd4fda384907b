"""Records for other tools: CSV, JSON Lines and Parquet. What other tools write is read by ``files``."""

from __future__ import annotations

from steelyard.exchange.export import Format, export

__all__ = ["Format", "export"]
