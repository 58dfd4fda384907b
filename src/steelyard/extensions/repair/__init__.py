"""Copy what can be read of a damaged record into a new one."""
