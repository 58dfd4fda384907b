"""The claims of an experiment, by kind.

A new kind is a file here, of the name that its judge has in ``claims`` and its words in ``report/claims``,
and a line in ``Claim``.
"""

from __future__ import annotations

from typing import Final, get_args

from steelyard.spec.claims.best import Best
from steelyard.spec.claims.limit import Limit
from steelyard.spec.claims.observer import Unperturbed, Validates
from steelyard.spec.claims.ratio import Equivalent, Faster, NotSlower, Slower
from steelyard.spec.claims.rule import Rule
from steelyard.spec.claims.scales import Scales

__all__ = [
    "KINDS",
    "Best",
    "Claim",
    "Equivalent",
    "Faster",
    "Limit",
    "NotSlower",
    "Rule",
    "Scales",
    "Slower",
    "Unperturbed",
    "Validates",
    "kind_of",
    "module_of",
]

Claim = Faster | Slower | NotSlower | Equivalent | Limit | Best | Scales | Rule | Unperturbed | Validates

KINDS: Final[dict[str, type[Claim]]] = {str(arg.__struct_config__.tag): arg for arg in get_args(Claim)}
"""The key that a claim is known by, and its structure."""


def kind_of(claim: Claim) -> str:
    """Return the key that such a claim is known by: ``faster``, ``limit``, …."""
    return str(claim.__struct_config__.tag)


def module_of(claim: Claim) -> str:
    """Return the name that the modules of such a claim have.

    They are in ``spec.claims``, ``claims`` and ``report.claims``.
    """
    return type(claim).__module__.rpartition(".")[2]
