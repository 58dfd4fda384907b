"""``steelyard ratchet``: many changes tried in a row, of which those stay that are faster."""
