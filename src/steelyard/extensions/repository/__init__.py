"""A git repository: commits, and trees of them that are built and measured."""
