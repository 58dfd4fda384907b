"""Command lines of steelyard for what an agent asks, from words that are checked."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from steelyard.core.errors import UsageError
from steelyard.extensions.agents.workplace import Workplace
from steelyard.files.unlisted import make_unlisted

PLACE: Final = Path(".steelyard", "agents")
"""Of records, inside the root."""
LONGEST_S: Final = 3600.0
"""The longest measurement that can be asked for."""
MOST_COMMANDS: Final = 20

Action = Literal["try", "status", "total"]
Words = Sequence[str]


class Requests:
    """Makes command lines.

    Parameters
    ----------
    workplace : Workplace
    """

    def __init__(self, workplace: Workplace) -> None:
        self._workplace = workplace

    def compare(self, commands: Sequence[Words], max_time_s: float, margin: float | None) -> list[str]:
        """Compare two or more commands."""
        if not 2 <= len(commands) <= MOST_COMMANDS:
            raise UsageError(
                f"{len(commands)} commands", hint=f"name 2 to {MOST_COMMANDS}, the baseline first"
            )
        texts = [shlex.join(self._workplace.check_command(words)) for words in commands]
        options = ["--max-time", _format_time(max_time_s), "-o", self._name_record("compare.lab")]
        if margin is not None:
            options += ["--margin", _format_fraction(margin)]
        return ["compare", "--json", *options, "--", *texts]

    def gate(
        self,
        base: str,
        head: str,
        command: Words,
        build: Words,
        harness: str | None,
        max_time_s: float,
        margin: float | None,
    ) -> list[str]:
        """Gate ``head`` against ``base``."""
        revisions = [self._workplace.check_revision(revision) for revision in (base, head)]
        options = ["--max-time", _format_time(max_time_s), "-o", self._name_record("gate")]
        options += self._build_options(build)
        if margin is not None:
            options += ["--margin", _format_fraction(margin)]
        if harness is not None:
            options.append(f"--harness={self._workplace.check_revision(harness)}")
        return ["gate", "--json", *options, *revisions, "--", *self._workplace.check_command(command)]

    def ask_ratchet(self, action: Action, command: Words, build: Words, note: str) -> list[str]:
        """Try the work tree, or ask for the ledger or the whole gain."""
        if action != "try":
            return ["ratchet", action, "--json"]
        words = ["ratchet", "try", "--json", f"--message={_clean_note(note)}", *self._build_options(build)]
        return [*words, "--", *self._workplace.check_command(command)] if command else words

    def explain(self, record: str) -> list[str]:
        """Answer from a record, in words."""
        place = self._workplace.check_path(record)
        if not place.is_dir():
            raise UsageError(f"{record!r} is not a record", hint="a directory NAME.lab, as answers name it")
        return ["analyze", "--details", "--", str(place)]

    def _build_options(self, build: Words) -> list[str]:
        return [f"--build={shlex.join(self._workplace.check_command(build))}"] if build else []

    def _name_record(self, kind: str) -> str:
        make_unlisted(self._workplace.root / PLACE)
        return str(PLACE / f"{secrets.token_hex(4)}-{kind}")


def _clean_note(note: str) -> str:
    """Return the note on one line."""
    return "".join(character for character in " ".join(note.split()) if character.isprintable())[:200]


def _format_time(seconds: float) -> str:
    if not 1 <= seconds <= LONGEST_S:
        raise UsageError(f"{seconds} s of measurement", hint=f"1 to {LONGEST_S:.0f}")
    return f"{seconds:.3f}s"


def _format_fraction(fraction: float) -> str:
    if not 0 < fraction < 1:
        raise UsageError(f"a margin of {fraction}", hint="a fraction such as 0.03")
    return f"{fraction!r}"
