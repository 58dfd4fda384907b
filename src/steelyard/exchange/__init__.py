"""Records for other tools: CSV, JSON Lines and Parquet, and Extra-P's files of what models are made of. What
other tools write is read by ``files``.
"""

from __future__ import annotations

from steelyard.exchange.export import Format, SeriesFormat, export, export_series

__all__ = ["Format", "SeriesFormat", "export", "export_series"]
