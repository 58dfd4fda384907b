"""Answers as text, as documents, and on a terminal."""
