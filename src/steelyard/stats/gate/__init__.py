"""Verdicts on the benchmarks of a suite, which is looked at again and again while it runs."""
