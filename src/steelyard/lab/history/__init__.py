"""Histories: records of one experiment over time or over the commits of a repository."""
