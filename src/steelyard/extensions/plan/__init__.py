"""The text of ``plan``: what would run, and what it could show."""
