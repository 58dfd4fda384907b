"""Find the commit that changed the time of a program, by measuring commits side by side."""
