"""Other tools' files: read into series, and written from them."""

from __future__ import annotations

from steelyard.exchange.csv_columns import Columns
from steelyard.exchange.files import FORMATS, read_series, write_series

__all__ = ["FORMATS", "Columns", "read_series", "write_series"]
