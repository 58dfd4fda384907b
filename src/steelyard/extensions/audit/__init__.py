"""``audit``: which contexts move a program's time on this machine."""
