"""Histories as text, as JUnit XML, and in the words that the page has too."""
