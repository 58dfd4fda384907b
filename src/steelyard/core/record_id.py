"""Form of a record's id, by which files of a lake are named."""

from __future__ import annotations

import re
from typing import Final

_ID: Final = re.compile("[0-9a-f]{16}")


def is_record_id(text: object) -> bool:
    """Whether ``text`` is 16 hexadecimal digits in lower case: an id read from outside may be anything."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None
