"""Runs: from the first block to the last, interrupted and resumed."""
