"""Trials on machines that a queue gives out: jobs run all trials up to the next look, and outlive us."""
