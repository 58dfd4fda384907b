"""Verdicts on claims as text, documents, JUnit and workflow commands."""
