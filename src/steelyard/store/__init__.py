"""The record: every observation, kept."""

from __future__ import annotations

from steelyard.store.entries import (
    Disturbance,
    Journal,
    LoadOfBatch,
    Look,
    RecordProgress,
    Run,
    RunState,
    StoredNotice,
)
from steelyard.store.lock import LockHolder
from steelyard.store.reading import Reading
from steelyard.store.record import Record

__all__ = [
    "Disturbance",
    "Journal",
    "LoadOfBatch",
    "LockHolder",
    "Look",
    "Reading",
    "Record",
    "RecordProgress",
    "Run",
    "RunState",
    "StoredNotice",
]
