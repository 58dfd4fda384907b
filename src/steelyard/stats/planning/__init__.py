"""Planning: sample sizes that a question needs, and effects that a given size can show."""
