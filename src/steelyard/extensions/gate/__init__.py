"""The gate: benchmarks that a project has already, base against head, by processes of their harness."""
