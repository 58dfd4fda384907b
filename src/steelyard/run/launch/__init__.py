"""Launches: how a treatment in a context is started."""
