"""The chain of digests of a record: each link hashes what was stored and the link before.

A link is made in the transaction that stores its rows, so that a process that dies leaves both or none. What
a record says at last is compared with its links by ``verify_chain``.

Somebody who computes all later links anew leaves no trace in the chain itself. Its head differs then from
the one that a page, an archive or a signature holds.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from steelyard.results.proof import Proof

_DIGEST_BYTES: Final = 20
"""BLAKE2b of so many bytes: two texts of one digest take 2^80 attempts."""

Link = tuple[int, str, str, bytes]
"""Number, kind, key and digest."""

_ROWS: Final = {
    "look": ("SELECT * FROM look WHERE block || ' ' || metric = ?", "block || ' ' || metric"),
    "extension": ("SELECT * FROM extension WHERE id = ?", "id"),
    "batch": ("SELECT * FROM batch WHERE first_trial = ?", "first_trial"),
    "warning": ("SELECT * FROM warning WHERE id = ?", "id"),
}
_GIVEN_UP: Final = "SELECT 1 FROM block WHERE id = ? AND state = 'incomplete'"
"""Tables whose rows never change: how a row is read by its key, and its key."""

_TRIALS: Final = "SELECT * FROM trial WHERE id >= ? AND id < ? ORDER BY id"
_VALUES: Final = """
SELECT v.trial, v.i, v.v, metric.name, labels.labels FROM value AS v
    LEFT JOIN metric ON metric.id = v.metric LEFT JOIN labels ON labels.id = v.labels
WHERE v.trial >= ? AND v.trial < ? ORDER BY v.trial, v.metric, v.labels, v.i
"""
_LAST: Final = "SELECT id, digest FROM link ORDER BY id DESC LIMIT 1"

_PROGRAM: Final = "program"
_RUN: Final = "run"


def has_chain(connection: sqlite3.Connection) -> bool:
    """Whether the record has links; those of older versions have none."""
    rows = connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'link'")
    return rows.fetchone() is not None


def format_head(number: int, digest: bytes) -> str:
    """Write a link as people and other files note it."""
    return f"{number}-{digest.hex()}"


def read_head(connection: sqlite3.Connection) -> str:
    """Return the last link of a record; empty without a chain."""
    row = connection.execute(_LAST).fetchone() if has_chain(connection) else None
    return "" if row is None else format_head(*row)


def read_links(connection: sqlite3.Connection) -> list[Link]:
    """Return all links in their order; none without a chain."""
    if not has_chain(connection):
        return []
    return connection.execute("SELECT id, kind, key, digest FROM link ORDER BY id").fetchall()


class Chain:
    """The end of a chain, to which links are added within transactions of the caller."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._exists = has_chain(connection)

    def add_record(self) -> None:
        """Link what never changes: the record, its treatments and metrics, and its views; and its program."""
        self._add([("record", "")])
        self.add_program()

    def add_blocks(self, blocks: Iterable[int]) -> None:
        """Link blocks with all their trials and values; they have ended."""
        self._add([("block", str(block)) for block in blocks])

    def add_rows(self, kind: str, keys: Iterable[object]) -> None:
        """Link rows of a table in which no row changes: ``look``, ``extension``, ``batch``, ``warning``."""
        self._add([(kind, str(key)) for key in keys])

    def add_given_up(self, block: int) -> None:
        """Link that a block no longer counts, though it was complete."""
        self._add([("given_up", str(block))])

    def add_late(self, trials: Iterable[int]) -> None:
        """Link trials that came when their block had ended without them."""
        self._add([("late", str(trial)) for trial in trials])

    def add_run(self, run: int) -> None:
        """Link what a run is by now."""
        if self._exists:
            self._add([(_RUN, f"{run} {_hash_run(self._connection, run)}")])

    def add_program(self) -> None:
        """Link what was measured, as far as that is known by now."""
        if self._exists:
            self._add([(_PROGRAM, _hash_program(self._connection))])

    def _add(self, subjects: Sequence[tuple[str, str]]) -> None:
        if not (self._exists and subjects):
            return
        number, digest = self._connection.execute(_LAST).fetchone() or (0, b"")
        rows: list[Link] = []
        for kind, key in subjects:
            number += 1
            digest = _chain(digest, kind, key, _read_content(self._connection, kind, key))
            rows.append((number, kind, key, digest))
        self._connection.executemany("INSERT INTO link VALUES (?, ?, ?, ?)", rows)


def verify_chain(connection: sqlite3.Connection, noted: str = "") -> Proof:
    """Compare what a record says with its links.

    Parameters
    ----------
    noted : str
        A head of this record that was noted earlier.

    Returns
    -------
    Proof
        ``unproven`` where it has no chain; ``forked`` where ``noted`` is of a copy that went on otherwise.
    """
    links = read_links(connection)
    if not links:
        if has_chain(connection):
            return Proof("edited", place="its chain", reason="was removed")
        return Proof("unproven", reason="it has no digests")
    return _Check(connection, links).conclude(noted)


class _Check:
    """One pass over all links, then over the rows that should have one."""

    def __init__(self, connection: sqlite3.Connection, links: Sequence[Link]) -> None:
        self._connection = connection
        self._links = links
        self._keys: dict[str, list[str]] = {}
        for _, kind, key, _ in links:
            self._keys.setdefault(kind, []).append(key)
        self._given_up = set(self._keys.get("given_up", ()))
        self._late = set(map(int, filter(str.isdigit, self._keys.get("late", ()))))
        self._departures: list[tuple[str, str]] = []

    def conclude(self, noted: str) -> Proof:
        head = format_head(self._links[-1][0], self._links[-1][3])
        blocks = len(self._keys.get("block", ()))
        wrong = self._find_wrong_links()
        if wrong and (shortened := self._describe_missing_end(wrong)):
            return Proof("shortened", head, blocks, *shortened)
        self._departures += [
            (_name_subject(kind, key), "is not as it was stored") for _, kind, key, _ in wrong
        ]
        self._departures += self._find_unlinked_rows()
        if self._departures:
            # A block is what an answer rests on, and is named before what describes it.
            place, reason = min(self._departures, key=_order_departure)
            return Proof("edited", head, blocks, place, reason)
        return self._compare_noted(noted) or find_unproven_parts(self._connection)

    def _find_wrong_links(self) -> list[Link]:
        wrong: list[Link] = []
        before = b""
        for position, (number, kind, key, digest) in enumerate(self._links, 1):
            if number != position or digest not in self._compute(before, kind, key):
                wrong.append((number, kind, key, digest))
                if number != position:
                    break
            before = digest
        return wrong

    def _compute(self, before: bytes, kind: str, key: str) -> list[bytes]:
        """Return the digests that a link may have: of a block that was given up, by what it was before."""
        content = _read_content(self._connection, kind, key, self._late)
        if content is None:
            return []
        digests = [_chain(before, kind, key, content)]
        if kind == "block" and key in self._given_up:
            digests += [
                _chain(
                    before, kind, key, _read_content(self._connection, kind, key, self._late, state) or b""
                )
                for state in ("complete", "discarded")
            ]
        return digests

    def _describe_missing_end(self, wrong: Sequence[Link]) -> tuple[str, str] | None:
        """Say which blocks are missing, where all that is missing are the last of the chain's."""
        first = wrong[0][0]
        missing = [key for _, kind, key, _ in wrong if kind == "block" and not self._has_block(key)]
        after = [key for number, kind, key, _ in self._links if kind == "block" and number >= first]
        remaining = [kind for _, kind, key, _ in wrong if kind == "block" and key not in missing]
        if not missing or remaining or missing != after:
            return None
        if len(missing) == 1:
            return f"block {missing[0]}", f"block {missing[0]} is missing"
        return f"block {missing[0]}", f"{len(missing):,} blocks are missing, from block {missing[0]} on"

    def _has_block(self, key: str) -> bool:
        return self._connection.execute("SELECT 1 FROM block WHERE id = ?", (key,)).fetchone() is not None

    def _find_unlinked_rows(self) -> list[tuple[str, str]]:
        departures: list[tuple[str, str]] = []
        linked = set(self._keys.get("block", ()))
        ended = "SELECT id FROM block WHERE state <> 'planned' ORDER BY id"
        departures += [
            (_name_subject("block", str(block)), "was added")
            for (block,) in self._connection.execute(ended)
            if str(block) not in linked
        ]
        for kind, (_, key) in _ROWS.items():
            keys = set(self._keys.get(kind, ()))
            rows = self._connection.execute(f"SELECT {key} FROM {kind}")  # noqa: S608 -- names of ours
            departures += [
                (_name_subject(kind, str(row)), "was added") for (row,) in rows if str(row) not in keys
            ]
        departures += self._find_changed_versions()
        if self._count_strays():
            departures.append(("its trials", "have rows that belong to no block"))
        return departures

    def _find_changed_versions(self) -> list[tuple[str, str]]:
        """Compare runs and the program with the last link of each."""
        last = dict(key.split(" ", 1) for key in self._keys.get(_RUN, ()) if " " in key)
        departures = [
            (f"run {run}", "is not as it was stored" if str(run) in last else "was added")
            for (run,) in self._connection.execute("SELECT id FROM run").fetchall()
            if last.get(str(run)) != _hash_run(self._connection, run)
        ]
        runs = {str(run) for (run,) in self._connection.execute("SELECT id FROM run")}
        departures += [(f"run {run}", "was removed") for run in last if run not in runs]
        programs = self._keys.get(_PROGRAM, ())
        if not programs or programs[-1] != _hash_program(self._connection):
            departures.append(("its program", "is not as it was stored"))
        return departures

    def _count_strays(self) -> int:
        """Count trials and values that are outside of the blocks they name, or that nothing has."""
        ((trials, values),) = self._connection.execute(
            "SELECT (SELECT count(*) FROM trial LEFT JOIN block ON block.id = trial.block"
            " WHERE block.id IS NULL OR trial.id < first_trial OR trial.id >= first_trial + trials),"
            " (SELECT count(*) FROM value WHERE trial NOT IN (SELECT id FROM trial))"
        ).fetchall()
        return int(trials + values)

    def _compare_noted(self, noted: str) -> Proof | None:
        """Compare with a head that was noted, which is one of the links of a record that only grew."""
        if not noted:
            return None
        heads = [format_head(number, digest) for number, _, _, digest in self._links]
        if noted in heads:
            return None
        blocks = len(self._keys.get("block", ()))
        number = int(text) if (text := noted.partition("-")[0]).isdigit() else 0
        if number > len(heads):
            missing = f"it has {len(heads):,} links, and the noted head is number {number:,}"
            return Proof("shortened", heads[-1], blocks, "its end", missing)
        return Proof(
            "forked", heads[-1], blocks, f"link {number}", "the noted head is of another course of it"
        )


def find_unproven_parts(connection: sqlite3.Connection) -> Proof:
    """Prove a record whose rows are as they were stored: by its parts, where it was merged."""
    if not has_chain(connection):
        return Proof("unproven", reason="it has no digests")
    ((blocks,),) = connection.execute("SELECT count(*) FROM link WHERE kind = 'block'").fetchall()
    rows = connection.execute(
        "SELECT json_extract(host, '$.merged_record') FROM run"
        " WHERE json_extract(host, '$.merged_proof') = 'unproven' ORDER BY id LIMIT 1"
    )
    for (part,) in rows:
        return Proof("unproven", read_head(connection), blocks, reason=f"its part {part} had no digests")
    return Proof("measured", read_head(connection), blocks)


def find_fork(first: Sequence[Link], second: Sequence[Link]) -> str:
    """Name the first block that two copies of a record have otherwise; empty where one continues the other.

    Where they parted before any block differs, that is what differs first.
    """
    parted = False
    named = ""
    for pair in zip(first, second, strict=False):
        parted = parted or pair[0] != pair[1]
        if parted and not named:
            named = _name_subject(pair[0][1], pair[0][2])
        for _, kind, key, _ in pair:
            if parted and kind == "block":
                return _name_subject(kind, key)
    return named


def _order_departure(departure: tuple[str, str]) -> tuple[bool, int]:
    kind, _, number = departure[0].partition(" ")
    return kind != "block", int(number) if number.isdigit() else 0


def _name_subject(kind: str, key: str) -> str:
    names = {
        "record": "its spec, treatments or metrics",
        "late": f"trial {key}",
        "given_up": f"block {key}",
        "look": f"the look after block {key.partition(' ')[0]}",
        "batch": f"the load beside trial {key}",
        _RUN: f"run {key.partition(' ')[0]}",
        _PROGRAM: "its program",
    }
    return names.get(kind, f"{kind} {key}")


def _chain(before: bytes, kind: str, key: str, content: bytes | None) -> bytes:
    head = msgspec.json.encode((kind, key))
    return hashlib.blake2b(before + head + (content or b""), digest_size=_DIGEST_BYTES).digest()


def _read_content(
    connection: sqlite3.Connection,
    kind: str,
    key: str,
    late: Iterable[int] = (),
    state: str | None = None,
) -> bytes | None:
    """Read what a link is about, as JSON; ``None`` where it is not there."""
    if kind == "block":
        return _read_block(connection, key, late, state)
    content: object
    match kind:
        case "record":
            content = _read_record(connection)
        case "late":
            # Digits alone: a key that was edited may be anything.
            content = _read_trials(connection, int(key), int(key) + 1) if key.isdecimal() else None
        case "given_up":
            content = connection.execute(_GIVEN_UP, (key,)).fetchone()
        case _ if kind in _ROWS:
            content = connection.execute(_ROWS[kind][0], (key,)).fetchone()
        case _:
            # The key itself is a digest of the content, of which the last one must be that of the row.
            return b""
    return None if content is None else msgspec.json.encode(content)


def _read_record(connection: sqlite3.Connection) -> object:
    record = connection.execute("SELECT id, format, created_ns, experiment, sha256 FROM record").fetchall()
    tables = [
        connection.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()  # noqa: S608 -- names of ours
        for table in ("treatment", "metric")
    ]
    # Views and triggers change what tables say.
    views = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type IN ('view', 'trigger') ORDER BY name"
    ).fetchall()
    return record, tables, views


def _read_block(
    connection: sqlite3.Connection, key: str, late: Iterable[int], state: str | None
) -> bytes | None:
    row = connection.execute(
        "SELECT id, pass, context, discard, state, drawn, first_trial, trials,"
        " (SELECT settings FROM context WHERE context.id = block.context) FROM block WHERE id = ?",
        (key,),
    ).fetchone()
    if row is None:
        return None
    if state is not None:
        row = (*row[:4], state, *row[5:])
    trials, values = _read_trials(connection, row[6], row[6] + row[7])
    if late:
        apart = set(late)
        trials = [trial for trial in trials if trial[0] not in apart]
        values = [value for value in values if value[0] not in apart]
    return msgspec.json.encode((row, trials, values))


def _read_trials(
    connection: sqlite3.Connection, first: int, end: int
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    trials = connection.execute(_TRIALS, (first, end)).fetchall()
    return trials, connection.execute(_VALUES, (first, end)).fetchall()


def _hash_run(connection: sqlite3.Connection, run: int) -> str:
    return _hash(connection.execute("SELECT * FROM run WHERE id = ?", (run,)).fetchone())


def _hash_program(connection: sqlite3.Connection) -> str:
    return _hash(connection.execute("SELECT program FROM record").fetchall())


def _hash(content: object) -> str:
    return hashlib.blake2b(msgspec.json.encode(content), digest_size=_DIGEST_BYTES).hexdigest()
