"""``steelyard efficiency``: speedup and parallel efficiency, with their intervals."""
