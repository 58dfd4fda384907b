"""``audit``: which contexts move a program's time on this machine."""

from __future__ import annotations

from steelyard.lab.audit.audit import audit
from steelyard.lab.audit.request import Auditing

__all__ = ["Auditing", "audit"]
