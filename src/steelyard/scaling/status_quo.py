"""The status quo as expectation: accepted models, kept as text, so that a later change of growth is seen.

``{"format": "steelyard/expectations", "version": 1, "expectations": {"bcast latency_s": {"expect": "O(log
p)"}}}``
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from steelyard.errors import UsageError
from steelyard.scaling.model import ScalingModel
from steelyard.scaling.question import Expectation

FORMAT: Final = "steelyard/expectations"
VERSION: Final = 1


def accept(models: Iterable[ScalingModel]) -> str:
    """The leading terms of models as expectations."""
    found = {f"{m.name} {m.metric}": {"expect": m.growth()} for m in models}
    return (
        json.dumps(
            {"format": FORMAT, "version": VERSION, "expectations": found}, indent=1, ensure_ascii=False
        )
        + "\n"
    )


def read_accepted(text: str, where: str) -> dict[str, Expectation]:
    """Expectations that were accepted, or written by hand in the same form.

    Raises
    ------
    UsageError
        Not such a document, or of a newer version.
    """
    hint = "steelyard model DATA --accept FILE writes one"
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise UsageError(f"{where}: format {document['format']!r} is not {FORMAT!r}", hint=hint)
        if document["version"] > VERSION:
            raise UsageError(
                f"{where}: version {document['version']} is newer than {VERSION}",
                hint="pip install --upgrade steelyard",
            )
        return {
            str(name): Expectation(str(entry["expect"]), entry.get("deviation"))
            for name, entry in document["expectations"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(f"{where}: not a document of expectations", hint=hint) from None
