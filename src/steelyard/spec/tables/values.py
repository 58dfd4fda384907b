"""What stands to the right of a key, in several tables."""

from __future__ import annotations

Command = str | list[str]
"""One command: a list of words; text only with ``shell = true``."""
Commands = list[str | list[str]]
"""One command as a list of words, or a list of such lists."""
Duration = str | float
"""``"60 s"``, ``"10 min"``, or a number of seconds."""
