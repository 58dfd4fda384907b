"""Machines of a history: records under the same conditions are one series, and no comparison leaves it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from steelyard.core.units import Scalar
from steelyard.run.host.conditions import LIMITS, compare_conditions
from steelyard.store.summaries import Condensed


class Machines:
    """Conditions that records were measured under, each once.

    A record from before a condition was noted belongs to the first machine that it does not contradict; one
    without any is of a machine that nothing is known of.

    Parameters
    ----------
    conditions : sequence of str
        Facts by which machines differ.

    Attributes
    ----------
    facts : list of dict
        Of each machine, as far as any of its records has them.
    """

    def __init__(self, conditions: Sequence[str]) -> None:
        self._conditions = conditions
        self._without_limits = [fact for fact in conditions if fact not in LIMITS]
        self._are_limits_known: list[bool] = []
        self.facts: list[dict[str, Scalar]] = []

    def find(self, record: Condensed) -> int:
        """Return the number of the machine of a record, from 1 on; that of a new one where none fits."""
        decoded: dict[str, Scalar] = msgspec.json.decode(record.host)
        host = {fact: decoded[fact] for fact in self._conditions if fact in decoded}
        # Noted together: where the one is not there, that the other is not says nothing of limits.
        are_limits_known = "nice" in decoded
        for place, facts in enumerate(self.facts):
            are_compared = are_limits_known and self._are_limits_known[place]
            conditions = self._conditions if are_compared else self._without_limits
            is_related = not facts.keys().isdisjoint(host) or not (facts or host)
            if is_related and not compare_conditions(facts, host, conditions):
                facts.update(host)
                self._are_limits_known[place] |= are_limits_known
                return place + 1
        self.facts.append(host)
        self._are_limits_known.append(are_limits_known)
        return len(self.facts)

    def describe_break(self, old: int, new: int) -> tuple[str, ...]:
        """Return what differs between two machines, by their numbers: ``name: old → new``."""
        differences = compare_conditions(self.facts[old - 1], self.facts[new - 1], self._conditions)
        return tuple(f"{entry.name}: {entry.old} → {entry.new}" for entry in differences) or (
            "nothing known",
        )
