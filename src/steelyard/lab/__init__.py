"""The whole: run, resume, look and stop, compare, analyze. One file each."""
