"""Sampling distributions of a ratio: each gives the p value of any ratio and the matching interval."""
