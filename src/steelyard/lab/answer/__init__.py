"""From a record to its answer, its models and the verdicts on its claims."""
