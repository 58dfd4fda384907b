"""What functions and the places in which they lie are called, so that two builds have the same names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Final

from steelyard.extensions.explain.profiles import Function

_CLONE: Final = re.compile(
    r"\.(constprop|isra|part|cold|lto_priv|llvm|clone|localalias|warm|unlikely)(\.\d+)*(?=\.|$| )"
)
_VERSION_OF_SYMBOL: Final = re.compile(r"@@?[A-Z][A-Za-z0-9_.]*$")
_RUST_HASH: Final = re.compile(r"::h[0-9a-f]{16}$")
_COMPILED: Final = re.compile(r"/perf-\d+\.map$|^//anon$|^\[anon|^\[JIT\]|/jitted-\d+-\d+\.so$")
"""Where perf puts code that a program compiled while it ran; most names hold the number of a process."""
NO_SYMBOL: Final = "[no symbol]"
COMPILED: Final = "compiled at run time"
KERNEL: Final = "kernel"


@lru_cache(maxsize=1 << 16)
def clean_symbol(symbol: str) -> str:
    """Return a symbol without what compilers and linkers add: clones, cold parts, versions, hashes."""
    if symbol in ("[unknown]", "", "??"):
        return NO_SYMBOL
    text = _VERSION_OF_SYMBOL.sub("", _RUST_HASH.sub("", symbol))
    previous = None
    while previous != text:
        previous, text = text, _CLONE.sub("", text)
    return text.removesuffix(" [clone ]").strip() or symbol


def name_place(object_file: str, programs: Collection[str]) -> str:
    """Return the place of a function from the file in which perf found it.

    Parameters
    ----------
    programs : collection of str
        Names of the files of both programs, without directories.
    """
    if object_file.startswith(("[kernel", "[guest.kernel")) or object_file.endswith(
        (".ko", ".ko.xz", ".ko.zst")
    ):
        return KERNEL
    if _COMPILED.search(object_file):
        return COMPILED
    if object_file.startswith("["):
        # The kernel's modules are in brackets, as [vdso] is.
        text = object_file.strip("[]")
        return text if text in ("vdso", "vsyscall", "unknown", "heap", "stack") else KERNEL
    name = PurePosixPath(object_file.removesuffix(" (deleted)")).name
    if name in programs:
        return ""
    return re.sub(r"\.so(\.[0-9.]+)?$", "", re.sub(r"-\d+(\.\d+)+(?=\.so)", "", name))


def list_programs(words: Collection[str]) -> frozenset[str]:
    """Return the names that the files of these programs have, by the links that lead to them."""
    return frozenset(name for word in words for name in (Path(word).name, Path(word).resolve().name))


def shorten_signature(name: str) -> str:
    """Return a name without parameters and template arguments, by which overloads are alike."""
    text, depth = "", 0
    operator = re.search(r"operator\s*[<>()\[\]=!+\-*/%&|^~,]+", name)
    body = name[: operator.start()] if operator else name
    for sign in body:
        if sign in "<(":
            depth += 1
        elif sign in ">)":
            depth = max(0, depth - 1)
        elif not depth:
            text += sign
    text = text.replace(" const", "").strip().rsplit(" ", 1)[-1]
    return (text + (operator.group() if operator else "")) or name


def match_functions(old: Collection[Function], new: Collection[Function]) -> dict[Function, Function]:
    """Match functions of two builds: new to old.

    By symbol, place and source file; by symbol and place; by the name without parameters and template
    arguments; by the line at which the source begins, which finds what was renamed. Each step takes only what
    is the only one of its kind on both sides.
    """
    steps: tuple[Callable[[Function], Hashable], ...] = (
        lambda f: (f.name, f.place, PurePosixPath(f.file).name),
        lambda f: None if f.name == NO_SYMBOL and f.file else (f.name, f.place),
        lambda f: (shorten_signature(f.name), f.place),
        lambda f: (PurePosixPath(f.file).name, f.line) if f.file and f.line else None,
    )
    matched: dict[Function, Function] = {}
    for step in steps:
        first = [function for function in old if function not in matched.values()]
        second = [function for function in new if function not in matched]
        keys = Counter(map(step, first)), Counter(map(step, second))
        by_key = {step(function): function for function in first if keys[0][step(function)] == 1}
        for function in second:
            key = step(function)
            if key is not None and keys[1][key] == 1 and key in by_key:
                matched[function] = by_key[key]
    return matched
