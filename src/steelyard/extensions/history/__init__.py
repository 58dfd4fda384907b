"""Changes over records of many commits, and the commits that made them."""
