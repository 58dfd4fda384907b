"""Answers from samples: summaries, ratios with intervals, verdicts. Arrays in, frozen structs out."""
