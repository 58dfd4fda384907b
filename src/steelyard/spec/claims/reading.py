"""``[[claims]]``: which kind each is, and its reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from steelyard.spec.check.names import check_line
from steelyard.spec.claims.best import read_best
from steelyard.spec.claims.claim import Claim
from steelyard.spec.claims.limit import read_limit
from steelyard.spec.claims.observer import read_unperturbed, read_validates
from steelyard.spec.claims.question import Question
from steelyard.spec.claims.ratio import read_equivalent, read_faster, read_slower
from steelyard.spec.claims.rule import read_rule
from steelyard.spec.claims.scales import read_scales
from steelyard.spec.claims.tables import CLAIM_TABLES
from steelyard.spec.text.origin import Origin, Path, nearest
from steelyard.spec.text.toml import toml_value

READERS: Final[dict[str, Callable[[Any, Question, Origin, Path], Claim]]] = {
    "faster": read_faster,
    "slower": read_slower,
    "equivalent": read_equivalent,
    "limit": read_limit,
    "best": read_best,
    "scales": read_scales,
    "rule": read_rule,
    "unperturbed": read_unperturbed,
    "validates": read_validates,
}
"""For each key of ``CLAIM_TABLES``, what makes a claim of its table."""


def read_claims(
    tables: Sequence[Mapping[str, object]], question: Question, origin: Origin
) -> tuple[Claim, ...]:
    """The claims in the order of the spec.

    Raises
    ------
    SpecError
    """
    return tuple(_read(table, question, origin, ("claims", i)) for i, table in enumerate(tables))


def _read(table: Mapping[str, object], question: Question, origin: Origin, path: Path) -> Claim:
    kinds = [key for key in table if key in CLAIM_TABLES]
    if not kinds:
        from steelyard.spec.hints.did_you_mean import is_scalar

        known = ", ".join(CLAIM_TABLES)
        close = next((near for key in table if (near := nearest(key, CLAIM_TABLES))), None)
        cell = {key: level for key, level in table.items() if key in question.levels and is_scalar(level)}
        example = toml_value(cell or {"opt": "O3"})
        hint = f"did you mean {close}?" if close else f"write faster = {example}, or one of: {known}"
        raise origin.error(path, "no key says what is claimed", hint)
    if len(kinds) > 1:
        what = f"{' and '.join(kinds)} are two claims"
        raise origin.error(path, what, "give each a [[claims]] of its own")
    struct = CLAIM_TABLES[kinds[0]]
    try:
        decoded: Any = msgspec.convert(table, struct)
    except msgspec.ValidationError:
        from steelyard.spec.hints.type_errors import mismatch

        raise mismatch(struct, table, origin, path, levels=question.levels) from None
    if decoded.name is not None:
        check_line(decoded.name, "the name of a claim", origin, (*path, "name"))
    return READERS[kinds[0]](decoded, question, origin, path)
