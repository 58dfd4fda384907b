"""Experiments as records keep them: the JSON of ``Experiment``.

History: until November 2026 durations were keys that end in ``_s``, the names of a zip were ``names``, any
exit code was null, and what concerns a queue stood in a table of its own; later ``[launch]`` had the keys of
every kind. Such records are read as before.
"""

from __future__ import annotations

from typing import Any, Final, get_args

import msgspec

from steelyard.spec.claims.claim import decode_claim
from steelyard.spec.experiment import Experiment, LaunchMethod
from steelyard.spec.tables.values import keys_of

_RENAMED: Final = (
    (("program",), "timeout_s", "timeout"),
    (("build",), "timeout_s", "timeout"),
    (("design", "stop"), "max_time_s", "max_time"),
    (("launch", "queue"), "poll_s", "poll"),
)


def decode(text: str | bytes) -> Experiment:
    """Return the experiment that a record keeps, in today's form or an older one.

    Raises
    ------
    msgspec.ValidationError
        A spec of another version.
    msgspec.DecodeError
        No JSON.
    """
    spec = msgspec.json.decode(text)
    if isinstance(spec, dict):
        _upgrade(spec)
    return msgspec.convert(spec, Experiment, dec_hook=decode_claim)


def _upgrade(spec: dict[str, Any]) -> None:
    for path, old, new in _RENAMED:
        table = _get_table(spec, *path)
        if old in table:
            table[new] = table.pop(old)
    for link in spec.get("zips") or ():
        if isinstance(link, dict) and "names" in link:
            link["zip"] = link.pop("names")
    verify = _get_table(spec, "program", "verify")
    if verify.get("exit", 0) is None:
        verify["exit"] = "any"
    launch = _get_table(spec, "launch")
    launch.update(launch.pop("queue", None) or {})
    _drop_other_kinds(launch)


def _drop_other_kinds(launch: dict[str, Any]) -> None:
    """Leave the keys of the table's own kind, and those that no kind has."""
    kinds = {struct.__struct_config__.tag: set(keys_of(struct)) for struct in get_args(LaunchMethod)}
    settable = kinds.get(launch.setdefault("kind", "local"))
    if settable is not None:
        for key in set().union(*kinds.values()) - settable:
            launch.pop(key, None)


def _get_table(spec: dict[str, Any], *path: str) -> dict[str, Any]:
    """Return the table at ``path``; an empty one where there is none."""
    table: Any = spec
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}
