"""Runs in an environment that has Extra-P: arrays in, its models out. Knows nothing of Steelyard.

Usage: ``python peer.py IN.npz OUT.json`` where IN has ``points`` (m × parameters), ``values`` (functions ×
m × repetitions), ``targets`` (t × parameters) and ``measure`` ("mean", "minimum").
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from extrap.entities.coordinate import Coordinate
from extrap.entities.measurement import Measure, Measurement
from extrap.modelers.multi_parameter.multi_parameter_modeler import MultiParameterModeler
from extrap.modelers.single_parameter.basic import SingleParameterModeler


def exponents(term: object) -> list[float]:
    """Power and log exponent of one compound term."""
    power = log = 0.0
    for simple in term.simple_terms:  # type: ignore[attr-defined]
        if simple.term_type == "polynomial":
            power += float(simple.exponent)
        else:
            log += float(simple.exponent)
    return [power, log]


def main() -> None:
    """Model every function and write what was found."""
    warnings.filterwarnings("ignore")
    data = np.load(sys.argv[1], allow_pickle=False)
    points, values, targets = data["points"], data["values"], data["targets"]
    measure = {"mean": Measure.MEAN, "minimum": Measure.MINIMUM}[str(data["measure"])]
    single = points.shape[1] == 1
    modeler = SingleParameterModeler() if single else MultiParameterModeler()
    modeler.use_measure = measure
    if not single:
        modeler.single_parameter_modeler.use_measure = measure
    coordinates = [Coordinate(*map(float, point)) for point in points]
    jobs = [
        [
            Measurement(c, None, None, list(map(float, row)))
            for c, row in zip(coordinates, function, strict=True)
        ]
        for function in values
    ]
    out = []
    start = time.perf_counter()
    models = [modeler.create_model(job) for job in jobs]
    seconds = time.perf_counter() - start
    for model in models:
        function = model.hypothesis.function
        terms = []
        for compound in function.compound_terms:
            if single:
                terms.append({"coefficient": float(compound.coefficient), "0": exponents(compound)})
            else:
                parts = {str(p): exponents(t) for p, t in compound.parameter_term_pairs}
                terms.append({"coefficient": float(compound.coefficient), **parts})
        predictions = [float(function.evaluate(target[0] if single else tuple(target))) for target in targets]
        out.append(
            {"constant": float(function.constant_coefficient), "terms": terms, "predictions": predictions}
        )
    Path(sys.argv[2]).write_text(json.dumps({"seconds": seconds, "models": out}), encoding="utf-8")


if __name__ == "__main__":
    main()
