"""Places that hold records and are none: what they are asked, and records opened by what a user names."""
