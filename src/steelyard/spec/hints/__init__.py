"""Hints for mistakes in a spec: the nearest key, the right table, the type that was expected."""
