"""Comparisons without a spec: the experiment that is run, and the null of this machine."""
