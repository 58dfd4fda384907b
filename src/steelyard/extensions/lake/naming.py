"""Names of specs in a lake."""

from __future__ import annotations

import hashlib

import msgspec

from steelyard.lab.merge.merging import get_comparable
from steelyard.spec.experiment import Experiment


def name_spec(experiment: Experiment) -> str:
    """Name a spec by 16 digits of the SHA-256 of what records of one have in common."""
    text = msgspec.json.encode(get_comparable(experiment), order="sorted")
    return hashlib.sha256(text).hexdigest()[:16]
