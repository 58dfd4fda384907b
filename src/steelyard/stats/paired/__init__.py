"""Tests and effects of paired differences that need no normal distribution; one a file."""
