"""The claims of a spec, one file for each kind."""
