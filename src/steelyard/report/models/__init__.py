"""Scaling models as text and as a document."""
