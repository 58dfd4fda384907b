"""``Portrait``: a record as it is, beside its answer: every run, the machine, and how to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Scalar
from steelyard.results.proof import Proof
from steelyard.results.status import Status


class Excluded(msgspec.Struct, frozen=True):
    """A trial that is in no result.

    Attributes
    ----------
    status : str
        ``ok`` where nothing was wrong with it: its block was discarded or is not complete.
    why : str
        In words.
    """

    trial: int
    treatment: int
    block: int
    status: str
    why: str
    wall_s: float


class Disturbed(msgspec.Struct, frozen=True):
    """A trial that was ready to run and had no CPU for ``waited``, a fraction of its elapsed time."""

    trial: int
    treatment: int
    block: int
    waited: float


class Portrait(msgspec.Struct, frozen=True):
    """A record as it is.

    Attributes
    ----------
    id : str
        Of the record, 16 hexadecimal digits.
    created : str
        Date and time in UTC.
    samples : tuple of Sample
        Of the metric that is answered about: every run that is in a result.
    excluded, disturbed : tuple
        In the order of time.
    contexts : Mapping[int, Mapping[str, Scalar]]
        The settings of each context by its id.
    host : Mapping[str, Scalar]
        Facts of the machine at the last run.
    program : Mapping[str, Any]
        What was measured: paths, hashes, versions.
    spec : str
        Text of the spec, with which the experiment can be repeated.
    proof : Proof or None
        Whether it is as it was measured.
    """

    status: Status
    id: str
    created: str
    treatments: tuple[Treatment, ...]
    samples: tuple[Sample, ...]
    excluded: tuple[Excluded, ...]
    disturbed: tuple[Disturbed, ...]
    contexts: Mapping[int, Mapping[str, Scalar]]
    host: Mapping[str, Scalar]
    program: Mapping[str, Any]
    spec: str
    proof: Proof | None = None
