"""Descriptions of one sample: location, spread, shape, and oddities in time."""
