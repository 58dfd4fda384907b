"""``SampleProfile``: facts of one sample that the protocol needs, worked out once for all its pairs."""

from __future__ import annotations

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample
from steelyard.extensions.protocol_2014.shapiro_wilk import normality
from steelyard.results.hypothesis import Normality
from steelyard.stats.describe.clock_step import coarse_step
from steelyard.stats.describe.described import sees_clock
from steelyard.stats.hypothesis.t_tests import Moments


class SampleProfile(msgspec.Struct, frozen=True, eq=False):
    """A sample, prepared.

    Attributes
    ----------
    ascending : array of double
        The values, sorted.
    usable : bool
        There are values, and all are finite.
    constant : bool
        All values are equal; also of a single one.
    moments : Moments or None
        Of two values at least.
    normality : Normality or None
        ``None`` of fewer than three values, and of equal ones.
    coarse : bool
        The step of a clock shows, which makes normal values look as if they were not.
    """

    sample: Sample
    ascending: Floats
    usable: bool
    constant: bool
    moments: Moments | None
    normality: Normality | None
    coarse: bool

    @property
    def degenerate(self) -> bool:
        """Whether no test of its shape exists: all values are equal, or there are fewer than three."""
        return self.constant or self.ascending.size < 3


def profile(sample: Sample) -> SampleProfile:
    """Prepare a sample."""
    values = np.asarray(sample.values, dtype=np.float64)
    ascending = np.sort(values)
    usable = bool(values.size and np.isfinite(values).all())
    if not usable:
        return SampleProfile(
            sample, ascending, usable=False, constant=False, moments=None, normality=None, coarse=False
        )
    return SampleProfile(
        sample,
        ascending,
        usable=True,
        constant=bool(ascending[0] == ascending[-1]),
        moments=Moments.make(ascending) if values.size > 1 else None,
        normality=normality(ascending),
        coarse=sees_clock(sample.metric) and coarse_step(ascending) is not None,
    )
