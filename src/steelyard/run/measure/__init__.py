"""From what the runner wrote down to a ``Measurement``."""
