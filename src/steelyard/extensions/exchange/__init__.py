"""Records for other tools, and the formats of other benchmarking tools.

There are tables, Extra-P's files of what models are made of, and the formats of other tools. What other tools
write is read by ``files`` (series) and ``importers`` (whole records).
"""

from __future__ import annotations

from steelyard.extensions.exchange.export import (
    Format,
    SeriesFormat,
    export,
    export_for_peers,
    export_series,
    export_text,
)
from steelyard.extensions.exchange.peers import PEER_FORMATS, PeerFormat

__all__ = [
    "PEER_FORMATS",
    "Format",
    "PeerFormat",
    "SeriesFormat",
    "export",
    "export_for_peers",
    "export_series",
    "export_text",
]
