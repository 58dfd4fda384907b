"""How every JSON document is written."""

from __future__ import annotations

import msgspec


def written(content: object) -> str:
    r"""The content as JSON, one field a line, ended by a line feed; NaN and infinities become null.

    A command line may hold bytes that are no UTF-8, which Python keeps as lone surrogates and JSON cannot;
    they are written as escapes (``\udcff``).
    """
    try:
        encoded = msgspec.json.encode(content)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(_escaped(msgspec.to_builtins(content)))
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def _escaped(content: object) -> object:
    if isinstance(content, str):
        return content.encode("utf-8", "backslashreplace").decode()
    if isinstance(content, dict):
        return {_escaped(key): _escaped(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_escaped(each) for each in content]
    return content
