"""Measurements from the runner's journal."""
