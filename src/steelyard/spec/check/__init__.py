"""Checks of the tables of a spec: one file for each table, and one for references across tables."""
