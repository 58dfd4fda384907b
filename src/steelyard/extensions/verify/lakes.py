"""Records of a lake, verified: each table by the digest that was taken when it was exported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from steelyard.core.errors import SteelyardError
from steelyard.extensions.lake.facts import LakeFacts, TableFile, hash_bytes
from steelyard.extensions.lake.location import Location
from steelyard.extensions.lake.opening import read_lake
from steelyard.extensions.verify.results import Signature, Verified
from steelyard.results.proof import Proof

_ENDS: Final = {"its trials": ".parquet", "its ratios": ".ratios.parquet"}


def verify_lake(place: Path | str) -> Iterator[Verified]:
    """Verify every record of a lake, and yield what cannot be read of it as edited.

    Somebody who changes a table and its digest in the facts beside it is not found: the chain of digests is
    in the record itself.

    Raises
    ------
    UsageError
        It cannot be read, or holds no record.
    """
    lake = read_lake(place)
    for facts in lake.facts:
        label = f"{lake.location.label}/{facts.stem}"
        versions = dict.fromkeys(str(run.host["steelyard"]) for run in facts.runs if "steelyard" in run.host)
        yield Verified(label, facts.id, _prove(lake.location, facts), Signature(), tuple(versions))
    for entry in lake.left_out:
        proof = Proof("edited", place="a file of the lake", reason=entry.why)
        yield Verified(entry.record, "", proof, Signature(), ())


def _prove(location: Location, facts: LakeFacts) -> Proof:
    tables = {"its trials": facts.trials, "its ratios": facts.ratios}
    for noun, table in tables.items():
        if reason := _refute(location, f"{facts.stem}{_ENDS[noun]}", table):
            return Proof("edited", facts.head, facts.blocks, place=noun, reason=reason)
    if not facts.head:
        return Proof("unproven", reason="it had no digests when it was exported")
    return Proof("measured", facts.head, facts.blocks)


def _refute(location: Location, name: str, table: TableFile) -> str:
    """Return why a table is not what was exported; empty where it is."""
    try:
        content = location.read(name)
    except SteelyardError as error:
        return f"cannot be read: {error.message}"
    return "" if hash_bytes(content) == table.digest else f"are not as they were exported ({name})"
