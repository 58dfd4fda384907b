"""Text of a spec: placeholders, expressions, TOML values, and where each came from."""
