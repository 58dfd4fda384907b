"""``audit``: which contexts move a program's time on this machine."""

from __future__ import annotations

from steelyard.lab.audit.asking import Auditing
from steelyard.lab.audit.conduct import audit

__all__ = ["Auditing", "audit"]
