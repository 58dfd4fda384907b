"""Looking more than once: p-values and intervals that are valid at every look."""
