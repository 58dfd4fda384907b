"""``[[claims]]``: the kind of each by its key, then its own checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from steelyard.spec.claims.claim import Claim, find_kind, list_kinds, struct_of
from steelyard.spec.claims.question import ClaimNames
from steelyard.spec.names import check_line
from steelyard.spec.tables.values import keys_of
from steelyard.spec.text.gathered import ErrorCollector
from steelyard.spec.text.origin import Origin, Path, nearest
from steelyard.spec.text.toml import toml_value


def read_claims(
    tables: Sequence[Mapping[str, object]], question: ClaimNames, origin: Origin
) -> tuple[Claim, ...]:
    """Return the claims in the order of the spec.

    Raises
    ------
    SpecError
    """
    gathered = ErrorCollector()
    read = [gathered(_read, table, question, origin, ("claims", i)) for i, table in enumerate(tables)]
    gathered.refuse()
    return tuple(claim for claim in read if claim is not None)


def _read(table: Mapping[str, object], question: ClaimNames, origin: Origin, path: Path) -> Claim:
    kinds = [key for key in table if find_kind(key) is not None]
    if not kinds:
        from steelyard.spec.hints.did_you_mean import is_scalar

        kinds_known = list_kinds()
        text = ", ".join(kinds_known)
        close = next((near for key in table if (near := nearest(key, kinds_known))), None)
        cell = {key: level for key, level in table.items() if key in question.levels and is_scalar(level)}
        example = toml_value(cell or {"opt": "O3"})
        hint = f"did you mean {close}?" if close else f"write faster = {example}, or one of: {text}"
        raise origin.error(path, "no key names a kind of claim", hint)
    if len(kinds) > 1:
        problem = f"{' and '.join(kinds)} are two claims"
        raise origin.error(path, problem, "give each a [[claims]] of its own")
    struct = struct_of(kinds[0])
    for key in {"kind", "strata"} & set(table):  # Of the structure, and no keys of a spec.
        from steelyard.spec.hints.type_errors import unknown_key

        raise unknown_key(key, keys_of(struct), origin, path)
    try:
        claim: Claim = msgspec.convert(table, struct)
    except msgspec.ValidationError:
        from steelyard.spec.hints.type_errors import type_error

        raise type_error(struct, table, origin, path, levels=question.levels) from None
    if claim.name is not None:
        check_line(claim.name, "the name of a claim", origin, (*path, "name"))
    return claim.check_against(question, origin, path)
