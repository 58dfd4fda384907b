"""The tables of a spec as a person writes them, one file each.

They are the one definition that decoding, the schema and the reference come from. What is said of a key here
stands in docs/spec.md, and editors show it.

``Experiment`` (``experiment.py``) is what they mean; ``loading`` turns one into the other.
"""
