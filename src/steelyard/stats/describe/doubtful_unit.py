"""Times that a program reports of itself and that are longer than the trial was: mostly another unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.answers.notice import Notice
from steelyard.stats.describe.described import Described

LONGER: Final = 1.1
"""Times the trial from which on it is told: clocks differ by less, and ranks together take twice as long."""


def doubtful_units(samples: Sequence[Described]) -> list[Notice]:
    """One for each metric of the program in seconds whose mean exceeds that of ``wall_s``, of the treatment
    in which it does so most.

    Simulated times are left out: a simulated second takes as long as it likes.
    """
    walls = {s.treatment.id: s.summary.mean for s in samples if s.metric.name == "wall_s" and not s.labels}
    worst: dict[str, tuple[float, Described]] = {}
    for sample in samples:
        wall, mean = walls.get(sample.treatment.id), sample.summary.mean
        told = sample.metric.kind == "user" and sample.metric.unit == "s" and sample.provenance != "simulated"
        if told and wall and mean is not None and mean > LONGER * wall:
            name = sample.metric.name
            worst[name] = max(worst.get(name, (0.0, sample)), (mean / wall, sample), key=lambda each: each[0])
    return [
        Notice(
            "longer_than_trial",
            (sample.treatment.label,),
            {
                "metric": name,
                "value": sample.summary.mean or 0.0,
                "wall_s": walls[sample.treatment.id] or 0.0,
            },
        )
        for name, (_, sample) in worst.items()
    ]
