"""Answers to present."""
