"""The answer of an experiment as text and as a document."""
