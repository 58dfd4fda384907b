"""The native runner, seen from Python: orders, answers, the journal."""
