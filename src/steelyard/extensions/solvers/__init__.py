"""Solvers over problem instances with a time limit: how many are solved, PAR scores, and which is better.

A run that did not end in time, or failed, has no time of its own, and is no missing value either: leaving it
out favours the solver that gives up. Each run is an outcome, and every instance counts for every solver.
"""
