"""``Notice``: something that the reader of a result must know, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from steelyard.core.units import Scalar

Kind = Literal[
    # about the question
    "exploratory",
    # about the record
    "edited",
    # about the run
    "running",
    "interrupted",
    "precision_not_reached",
    "extended",
    "sequential_order",
    "few_blocks",
    "same_program",
    "other_libraries",
    "other_code",
    "disturbed",
    "by_cpu_time",
    "throttled",
    "stolen",
    "overheated",
    "swapped",
    # about values
    "autocorrelated",
    "autocorrelated_few",
    "autocorrelated_mean",
    "slow_mode",
    "trend",
    "trend_of_difference",
    "carry_over",
    "outliers",
    "bimodal",
    "dominated",
    "resolution",
    "instance_carries",
    "longer_than_trial",
    "failures",
    "simulated",
    "crowded",
    "one_process",
    "two_sessions",
    "failures_unequal",
    "failures_ignored",
    "failures_as_limit",
    "unmatched_blocks",
    "unbalanced_contexts",
    "not_finite",
    "no_baseline",
    "pairing_given_up",
    "pseudo_replication",
    # what could not be observed
    "modes_unseen",
    "contexts_unseen",
    "machines_unseen",
    "one_context",
    "one_code_layout",
    "layout_per_launch",
    "below_tick",
    "counters",
    "idle_power",
    "queue_wait",
    "queue_wait_of_short",
    # anything that another room has put in words already
    "note",
]


class Notice(msgspec.Struct, frozen=True):
    """A warning, or a limit of what was observed.

    Attributes
    ----------
    kind : str
        What it is; ``report.answer.notices`` has a sentence for each.
    treatments : tuple of str
        Labels of those it is about; empty where it is about all.
    fields : Mapping[str, Scalar]
        Its numbers, in SI units; names are part of the JSON document. ``note`` has ``text``, a sentence.
    """

    kind: Kind
    treatments: tuple[str, ...] = ()
    fields: Mapping[str, Scalar] = msgspec.field(default_factory=dict)
