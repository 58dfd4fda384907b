"""Uncertainty budgets: propagation (JCGM 100), Type B errors, and what each contributes."""
