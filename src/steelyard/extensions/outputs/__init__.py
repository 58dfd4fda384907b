"""Results of benchmarks as programs print or write them: a declaration a format, and one reader for all."""
