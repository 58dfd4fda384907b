"""How estimates of a ratio vary, where that is not Student's t on the logarithm: each gives p of any ratio
and the interval that belongs to it.
"""
