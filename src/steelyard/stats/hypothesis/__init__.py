"""Tests and effects of two independent samples; one a file, each with a witness in its test."""
