"""The machine: what it is (stored with every run) and how loaded it is (stored with every batch)."""

from __future__ import annotations

from steelyard.run.host.facts import boot_id, host_facts
from steelyard.run.host.load import HostLoad, LoadChange

__all__ = ["HostLoad", "LoadChange", "boot_id", "host_facts"]
