"""URLs that a user names as places: told from paths, and shown without the secrets in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?:::|://)")
_FILE: Final = "file://"


def is_url(text: str) -> bool:
    """Whether a text is a URL, and not the path of a file."""
    return _URL.match(text) is not None


def find_directory(url: str) -> Path | None:
    """Return the directory of this machine that a URL names; ``None`` of one elsewhere."""
    return Path(unquote(url.removeprefix(_FILE))) if url.startswith(f"{_FILE}/") else None


def strip_secrets(url: str) -> str:
    """Return a URL as it may be shown: without user, password, query and fragment, in which secrets stand."""
    return "::".join(_strip_link(link) for link in url.split("::"))


def _strip_link(link: str) -> str:
    try:
        parts = urlsplit(link)
        host = parts.netloc.rpartition("@")[2]
        # A secret with a slash ends the host too early: what follows its colon is then no port.
        _ = parts.port
    except ValueError:
        return f"{link.partition('://')[0]}://…"
    if not parts.scheme:
        return link
    return f"{parts.scheme}://{host}{urlunsplit(('', '', parts.path, '', ''))}"


def find_secrets(url: str) -> Iterator[str]:
    """Parts of a URL that ``strip_secrets`` leaves out, as they stand there and decoded."""
    for link in url.split("::"):
        try:
            parts = urlsplit(link)
            values = [parts.username, parts.password, parts.query, parts.fragment]
            _ = parts.port
        except ValueError:
            yield from filter(None, re.split(r"[/:@]+", link.partition("://")[2]))
            continue
        values += [value for _, value in parse_qsl(parts.query)]
        for value in filter(None, values):
            yield value
            yield unquote(value)
