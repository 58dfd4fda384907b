"""The algorithm of Yates (1937): all contrasts of 2^k treatments in k passes of sums and differences."""

from __future__ import annotations

import numpy as np

from steelyard.core.arrays import Floats


def yates(values: Floats) -> Floats:
    """Return the contrast totals of the last axis, which holds (1), a, b, ab, c, … and whose length is 2^k.

    Total i belongs to effect i in the same order, the sum of all first: the product with the sign table, in
    k 2^k additions. The half effect of Jain is total / 2^k, the effect of Yates and Montgomery twice that.

    Raises
    ------
    ValueError
        The length is not a power of two.
    """
    size = values.shape[-1]
    if size & (size - 1) or not size:
        raise ValueError(f"Yates' algorithm needs 2^k treatments, got {size}")
    totals = np.asarray(values, dtype=np.float64)
    for _ in range(size.bit_length() - 1):
        first, second = totals[..., 0::2], totals[..., 1::2]
        totals = np.concatenate((first + second, second - first), axis=-1)
    return totals
