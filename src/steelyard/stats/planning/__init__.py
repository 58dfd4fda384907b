"""How many blocks, contexts or runs a question needs, and what so many of them can show."""
