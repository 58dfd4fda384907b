"""Whether a record is as it was measured: its chain of digests, its copies, its signature."""
