"""The record: every observation, kept."""

from __future__ import annotations

from steelyard.store.entries import (
    Batch,
    Disturbance,
    Journal,
    Look,
    Notice,
    Progress,
    Run,
    RunState,
)
from steelyard.store.lock import Holder
from steelyard.store.reading import Reading
from steelyard.store.record import Record

__all__ = [
    "Batch",
    "Disturbance",
    "Holder",
    "Journal",
    "Look",
    "Notice",
    "Progress",
    "Reading",
    "Record",
    "Run",
    "RunState",
]
