"""Files that users name: the one reader of what comes from outside, and the one writer of what goes there."""
