"""The plan: what a spec would run, what it could not separate, and the differences that it could show."""
