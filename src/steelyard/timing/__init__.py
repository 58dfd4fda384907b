"""Functions timed in this process: calibrated loops, in randomised blocks."""
