"""``explain``: the functions that carry a difference between two programs, with intervals."""
