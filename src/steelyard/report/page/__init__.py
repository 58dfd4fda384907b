"""The page, its charts and tables, for a reader who looks before reading."""
