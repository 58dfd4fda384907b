"""The null: how often a program is called different from itself on this machine."""
