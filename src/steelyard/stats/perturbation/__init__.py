"""Perturbation by probes: each probe against the program without one, paired by block."""
