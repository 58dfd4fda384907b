"""What an observation says: in words, as figures of characters, and as JSON."""
