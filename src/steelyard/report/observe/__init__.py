"""An observation in words, and as figures of characters."""
