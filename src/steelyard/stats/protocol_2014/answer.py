"""``ProtocolAnswer``: all that the protocol says of an experiment."""

from __future__ import annotations

import msgspec

from steelyard.stats.protocol_2014.pair import ProtocolPair
from steelyard.stats.protocol_2014.programs import ProgramTables
from steelyard.stats.protocol_2014.rules import Rules
from steelyard.units import Metric


class ProtocolAnswer(msgspec.Struct, frozen=True):
    """Every pair, and the paper's tables.

    Attributes
    ----------
    pairs : tuple of ProtocolPair
        In the order of the design; Holm's families are those of one stratum.
    programs : ProgramTables or None
        Where strata are declared.
    """

    rules: Rules
    metric: Metric
    pairs: tuple[ProtocolPair, ...]
    programs: ProgramTables | None
