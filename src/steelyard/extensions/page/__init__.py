"""``steelyard report``: the page of records and other answers, its figures, tables, and the archive."""
