"""Audits of the contexts that move a program's time: a screening that picks, a replication that judges.

Levels that look extreme in the screening are looked at again in fresh blocks. Only these are tested, so that
picking the largest of hundreds biases nothing, and against a least effect, so that a difference of no
consequence is not a finding.
"""
