"""``SKILL.md``: when an agent uses which command, and the rules that keep the answer honest."""

from __future__ import annotations

from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).with_name("SKILL.md")


def read_skill() -> str:
    """Return the text, without the head that agents find it by."""
    return FILE.read_text(encoding="utf-8").split("---\n", 2)[2].strip() + "\n"
