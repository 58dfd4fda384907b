"""The documentation: what of it is generated, and what of it is checked."""
