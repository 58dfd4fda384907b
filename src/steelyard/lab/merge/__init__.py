"""Several records of one spec as one."""
