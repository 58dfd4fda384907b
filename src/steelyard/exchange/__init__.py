"""Records for other tools: CSV, JSON Lines and Parquet."""

from __future__ import annotations

from steelyard.exchange.export import Format, export

__all__ = ["Format", "export"]
