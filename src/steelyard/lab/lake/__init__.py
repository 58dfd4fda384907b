"""Lakes: records written into one, and read from it as one record or as a history."""
