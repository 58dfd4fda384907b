"""From the tables of a spec to an ``Experiment``: one file for each table, and one for what goes across
tables.
"""
