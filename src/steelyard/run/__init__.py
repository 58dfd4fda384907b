"""Observation: from blocks of trials to measurements. Knows processes and clocks, not what numbers mean."""
