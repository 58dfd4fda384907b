"""Claims to verdicts: each holds, fails, or is not resolved, with the evidence. One file a kind."""
