"""Effects of contexts on a program and on a comparison.

There are components of variance, prediction for a new context, and how to split effort between contexts and
runs.

Model on the scale of logarithms, context c, treatment t, visit v:
log y_ctv = mu + tau_t + C_c + D_ct + B_cv + e_ctv. C moves all treatments of a context alike, D moves one
against the other (measurement bias, DOI 10.1109/IPDPS.2008.4536408), B is what a block has in common, e is
the rest. A comparison works on differences within blocks, where C and B cancel.
"""
