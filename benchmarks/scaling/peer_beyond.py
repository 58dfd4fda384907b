"""Runs in an environment that has Extra-P: series in, one value beyond each out. Knows nothing of Steelyard.

Usage: ``python peer_beyond.py IN.json OUT.json``. IN is a list of ``{"points": [x], "values": [y], "target":
x}``; OUT has for each the value without and with terms that fall, ``null`` where Extra-P refuses.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

from extrap.entities.coordinate import Coordinate
from extrap.entities.measurement import Measurement
from extrap.modelers.single_parameter.basic import SingleParameterModeler


def predict(series: dict[str, list[float]], *, falling: bool) -> float | None:
    """Return the value at the target."""
    modeler = SingleParameterModeler()
    modeler.allow_negative_exponents = falling
    pairs = zip(series["points"], series["values"], strict=True)
    rows = [Measurement(Coordinate(x), None, None, [y]) for x, y in pairs]
    try:
        return float(modeler.create_model(rows).hypothesis.function.evaluate(series["target"]))
    except Exception:  # noqa: BLE001 -- another program's, of which nothing is known
        return None


def main() -> None:
    """Model every series."""
    warnings.filterwarnings("ignore")
    every = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    values = [[predict(series, falling=falling) for falling in (False, True)] for series in every]
    Path(sys.argv[2]).write_text(json.dumps(values), encoding="utf-8")


if __name__ == "__main__":
    main()
