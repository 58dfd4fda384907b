"""Comparisons of treatments: pairing, estimates, intervals, verdicts."""
