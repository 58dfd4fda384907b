"""The answer of ``steelyard gate``: as text, and for build servers and code hosts."""
