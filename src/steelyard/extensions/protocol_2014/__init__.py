"""The protocol ``nogueira-matias-2014``.

It says which test each pair of samples takes, Holm over the family, every step kept. One step a file.

After Nogueira and Matias, A Quantitative Study on Execution Time Variability in Computing Experiments, § 3.5.

It is not paired: it reads single launches, and gives up what blocks cancel.
"""
