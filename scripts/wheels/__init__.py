"""Wheels for machines and Pythons other than the one that builds them: what ``./dev wheel`` is made of."""
