"""Other tools' files: read into series, and written from them."""

from __future__ import annotations

from steelyard.exchange.collect import Collected
from steelyard.exchange.files import FORMATS, read_series, write_series

__all__ = ["FORMATS", "Collected", "read_series", "write_series"]
