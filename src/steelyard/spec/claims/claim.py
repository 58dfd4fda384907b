"""``Claim``: what every kind of claim has, and where the kinds are found.

A kind is a struct of its spec, a judge and words. Those of the core are listed here; extensions add theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

import msgspec

from steelyard.core.extension import ClaimKind, find_extensions, list_built_in, load

if TYPE_CHECKING:
    from typing import Self

    from steelyard.spec.claims.question import ClaimNames
    from steelyard.spec.text.origin import Origin, Path


if TYPE_CHECKING:

    class Claim(msgspec.Struct, frozen=True):
        """Base of the structs of all claims, whose tag is the key that a claim is known by."""

        @property
        def name(self) -> str | None:
            """What reports call it; ``None`` for its own words."""

        @property
        def strata(self) -> tuple[str, ...]:
            """Factors within whose levels it is judged; only of kinds that compare."""

        def check_against(self, question: ClaimNames, origin: Origin, path: Path) -> Self:
            """Return the claim with its levels as the factors have them.

            Raises
            ------
            SpecError
            """

        def resolve_files(self, source: str) -> Self:
            """Return the claim with the files that it names as they lie below the directory of its spec."""

else:

    class Claim:
        """Base of the structs of all claims, whose tag is the key that a claim is known by.

        No struct itself: where one is expected, msgspec decodes it as that and not as the kind it is.
        """

        __slots__ = ()

        def resolve_files(self, _source: str) -> Claim:
            """Return the claim, which names no files."""
            return self


_RATIO: Final = "steelyard.spec.claims.ratio", "steelyard.claims.ratio", "steelyard.report.claims.ratio"


def _make_ratio(key: str, name: str) -> ClaimKind:
    spec, judge, words = _RATIO
    return ClaimKind(f"{spec}:{name}", f"{judge}:judge_{key}", words, compares=True)


CORE: Final[Mapping[str, ClaimKind]] = {
    "faster": _make_ratio("faster", "Faster"),
    "slower": _make_ratio("slower", "Slower"),
    "not_slower": _make_ratio("not_slower", "NotSlower"),
    "equivalent": _make_ratio("equivalent", "Equivalent"),
    "limit": ClaimKind(
        "steelyard.spec.claims.limit:Limit",
        "steelyard.claims.limit:judge_limit",
        "steelyard.report.claims.limit",
    ),
    "best": ClaimKind(
        "steelyard.spec.claims.best:Best",
        "steelyard.claims.best:judge_best",
        "steelyard.report.claims.best",
        compares=True,
    ),
}
"""The kinds of the core, by the key that a claim is known by."""


def list_kinds() -> dict[str, ClaimKind]:
    """List the kinds of the core and of extensions by key."""
    added = {key: kind for extension in find_extensions().usable for key, kind in extension.claims.items()}
    return {**CORE, **{key: kind for key, kind in added.items() if key not in CORE}}


def find_kind(key: str) -> ClaimKind | None:
    """Find a kind; other packages are looked through only where neither the core nor ours has it."""
    if key in CORE:
        return CORE[key]
    for extension in list_built_in():
        if key in extension.claims:
            return extension.claims[key]
    return list_kinds().get(key)


@cache
def struct_of(key: str) -> type[Claim]:
    """Return the struct of a kind.

    Raises
    ------
    LookupError
        No kind has this key.
    """
    kind = find_kind(key)
    if kind is None:
        raise LookupError(key)
    struct: type[Claim] = load(kind.struct)
    return struct


def key_of(claim: Claim) -> str:
    """Return the key that such a claim is known by: ``faster``, ``limit``, …."""
    return str(claim.__struct_config__.tag)


def kind_of(claim: Claim) -> ClaimKind:
    """Return the kind of a claim."""
    return list_kinds()[key_of(claim)]


def decode_claim(expected: type, value: object) -> object:
    """Decode a claim as a record keeps it: a ``dec_hook`` of msgspec.

    Raises
    ------
    ValueError
        No kind has this key: the extension that added it is not installed.
    """
    if expected is not Claim:
        raise NotImplementedError(expected)
    key = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(key, str) or find_kind(key) is None:
        raise ValueError(f"no kind of claim is called {key!r}; is an extension missing?")
    return msgspec.convert(value, struct_of(key))
