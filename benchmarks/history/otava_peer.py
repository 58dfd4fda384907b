"""Runs in an environment that has Otava: series in, the places of its change points out. Knows nothing of
Steelyard.

Usage: ``python otava_peer.py IN.json OUT.json`` where IN has ``series`` (a list of lists) and ``p`` (its
``max_pvalue``).
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from otava.analysis import compute_change_points


def main() -> None:
    """Search every series and write what was found."""
    document = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    start = time.perf_counter()
    result = []
    for series in document["series"]:
        points, _ = compute_change_points(series, window_len=50, max_pvalue=document["p"])
        result.append([int(point.index) for point in points])
    seconds = time.perf_counter() - start
    Path(sys.argv[2]).write_text(json.dumps({"seconds": seconds, "found": result}), encoding="utf-8")


if __name__ == "__main__":
    main()
