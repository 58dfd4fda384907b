"""Names in the source: nouns of the field for what is bound, verbs for functions that act.

A function that returns a value may be named after it, by a noun; one that returns none begins with a verb.
Neither begins with a preposition, and none is a bare participle. ``CONTRIBUTING.md`` has examples.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import steelyard

ROOT = Path(steelyard.__file__).parent
PROJECT = Path(__file__).parents[1]
NAMES = importlib.util.spec_from_file_location("cpp_names", PROJECT / "scripts" / "cpp_names.py")
cpp_names = importlib.util.module_from_spec(NAMES)
NAMES.loader.exec_module(cpp_names)
REFUSED = cpp_names.REFUSED
VERBS = frozenset(
    """abort accept adapt add adjust advise align allow analyze annotate answer append apply archive ask
    assign attach await bind bisect block bound build calculate calibrate call cancel capture change
    check choose cite classify clean clear close collect combine compare compile complete compute
    concatenate condense confirm connect convert convolve copy correct count create cut decide declare
    decode define delete derive describe detach detect determine discard distinguish do drain draw drop
    dump emit encode end enforce ensure enter enumerate escape estimate evaluate examine execute exit
    expand explain export extend extract fail fetch fill filter find finish fit flush fold follow
    foresee forget fork format gate gather generate get give go group guard handle hash hold identify
    ignore import include index infer insert inspect install integrate interpolate interrupt invert
    invoke iterate join judge keep kill launch learn leave limit link list load locate lock log look
    lower main make map mark match measure merge mix model move name narrow normalise note observe open
    order pack pad pair parse pass permute pick place plan plant plot poll pop prefer preload prepare
    preview print probe propose prune pull push put qualify query quote raise rank read rebuild receive
    recover reduce refresh refuse register rehearse release remove render repair repeat replace report
    require resample reserve reset resolve restore resume retry return reverse rewrite round run sample
    save scale scan schedule search select send separate serve set settle shorten show shuffle sign
    simulate skip sleep solve sort spell split start state stop store stream strip study submit suggest
    sum summarise survey swap switch sync take tear tell test tidy tighten trace track translate
    traverse trim truncate try undo unlock unpack update upgrade use validate verify visit wait walk
    warn watch weigh widen wrap write yield""".split()  # noqa: SIM905
)
PREPOSITIONS = frozenset(
    """across against around beside between by for from in of on over under with within
    without""".split()  # noqa: SIM905
)
IRREGULAR = frozenset(
    """built drawn grown held known left lost made meant seen shown taken told
    written""".split()  # noqa: SIM905
)
"""Participles that do not end in -ed."""
ADJECTIVES = frozenset(["one", "other", "own", "same", "whole"])
"""Refused alone, and no fault before a noun."""
KEYS = frozenset({"where"})
"""Keys of specs, whose tables have fields of their names."""
LONGEST_TEST = 80


def is_exempt(function: ast.FunctionDef) -> bool:
    """Whether another rule names a function: properties, predicates, hooks, and commands of click."""
    decorators = {getattr(node, "id", getattr(node, "attr", "")) for node in function.decorator_list}
    return (
        bool(decorators & {"property", "cached_property", "contextmanager", "fixture"})
        or function.name.startswith(("__", "pytest_"))
        or function.name in {"cli", "command"}
        or (function.returns is not None and ast.unparse(function.returns) == "bool")
    )


def is_misnamed(function: ast.FunctionDef) -> bool:
    """Whether a function says neither what it does nor what it returns."""
    name = function.name.strip("_")
    first = name.partition("_")[0]
    if first in VERBS or is_exempt(function):
        return False
    returned = ast.unparse(function.returns) if function.returns else "None"
    is_participle = first == name and (name.endswith("ed") or name in IRREGULAR)
    return (
        returned in {"None", "NoReturn"}
        or first in PREPOSITIONS
        or first in REFUSED - ADJECTIVES
        or is_participle
    )


def bound_names(node: ast.AST) -> list[str]:
    """Names that a node binds."""
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
        return [node.id if isinstance(node, ast.Name) else node.attr]
    if isinstance(node, ast.arg):
        return [node.arg]
    return [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []


def is_key(name: str, file: Path) -> bool:
    """Whether a name is that of a key of specs, in what reads them: the room, and claims of extensions."""
    place = file.relative_to(ROOT)
    return name in KEYS and (
        place.parts[0] == "spec"
        or place.match("extensions/*/claims.py")
        or place.match("extensions/*/*_claim.py")
    )


def list_nodes() -> Iterator[tuple[Path, ast.AST]]:
    for file in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            yield file, node


def test_no_name_is_a_pronoun_a_participle_or_a_particle():
    refused = [
        f"{file.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}: {name}"
        for file, node in list_nodes()
        for name in bound_names(node)
        if name.strip("_") in REFUSED and not is_key(name, file)
    ]
    assert refused == [], "give these nouns of the field; CONTRIBUTING.md"


def test_functions_begin_with_a_verb_or_name_what_they_return():
    misnamed = [
        f"{file.relative_to(ROOT)}:{node.lineno}: {node.name}"
        for file, node in list_nodes()
        if isinstance(node, ast.FunctionDef) and is_misnamed(node)
    ]
    assert misnamed == [], "give these a verb, or the noun of what they return; CONTRIBUTING.md"


@pytest.mark.parametrize(
    "source",
    [
        "def settled(x) -> Outcome: ...",
        "def of_points(x) -> Series: ...",
        "def window(x) -> None: ...",
        "def found_in(x) -> str: ...",
        "def _by_time(x): ...",
    ],
)
def test_a_function_that_says_neither_is_refused(source):
    assert is_misnamed(ast.parse(source).body[0])


@pytest.mark.parametrize(
    "source",
    [
        "def settle(x) -> Outcome: ...",
        "def nested_components(x) -> Components: ...",
        "def speedup(x) -> Speedup: ...",
        "def falls(x) -> bool: ...",
        "@property\ndef known(x) -> int: ...",
    ],
)
def test_a_function_that_says_what_it_does_or_returns_passes(source):
    assert not is_misnamed(ast.parse(source).body[0])


def test_names_of_tests_have_at_most_80_characters():
    long = [
        f"{file.relative_to(PROJECT)}: {name}"
        for folder in (PROJECT / "tests", *sorted(PROJECT.glob("*/tests")))
        for file in sorted(folder.rglob("test_*.py"))
        for name in re.findall(r"^ *(?:async )?def (test_\w+)", file.read_text(), re.MULTILINE)
        if len(name) > LONGEST_TEST
    ]
    assert long == [], "say what holds; the reason stands in the test"


def test_native_sources_declare_no_such_name_either():
    sources = [
        file
        for folder in ("native", "src", "examples", "benchmarks", "tests")
        for file in sorted((PROJECT / folder).rglob("*"))
        if file.suffix in {".c", ".h", ".cpp", ".hpp"}
    ]
    refused = [
        f"{file.relative_to(PROJECT)}:{line}: {name}"
        for file in sources
        for line, name in cpp_names.find_names(file.read_text(), REFUSED)
    ]
    assert len(sources) > 100
    assert refused == [], "give these nouns of the field; CONTRIBUTING.md"
    assert [*cpp_names.find_names("int found = 1; // int known = 2;", REFUSED)] == [(1, "found")]
