"""Names in the source: nouns of the field for what is bound, verbs for functions that act.

Each room has a number of names that are still to be replaced. It may only fall, and new rooms begin at none.
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import steelyard
from steelyard.store import Reading

ROOT = Path(steelyard.__file__).parent
REFUSED = frozenset(
    """asked each found given here its kept known left made more of one other others own said same seen
    shown taken the there told wanted what where which who whole whose""".split()  # noqa: SIM905
)
"""Pronouns, participles and particles, which say nothing of what is bound."""
VERBS = frozenset(
    """abort accept adapt add adjust advise align allow analyze annotate answer append apply archive ask
    assign
    attach await bind bisect block bound build calculate calibrate call cancel
    capture change check choose cite
    classify clean clear close collect combine compare compile complete compute concatenate condense confirm
    connect convert convolve copy correct count create cut decide declare decode define delete derive describe
    detach detect determine discard distinguish drain draw drop dump emit encode end enforce ensure
    enter enumerate escape estimate evaluate examine execute exit expand explain export extend extract
    fail fetch fill filter find finish fit fold follow forget fork format gate gather generate get give go
    group guard handle hash hold identify import include index infer inspect install integrate
    interpolate invert invoke iterate join judge keep kill launch learn leave limit link list load locate lock
    log look lower main make map mark match measure merge mix model move name narrow normalise note
    observe open order pack pad pair parse pass permute pick place plan plant plot poll pop prefer
    preload prepare preview print probe propose prune pull push put qualify query quote raise rank read
    rebuild receive
    recover reduce refresh refuse register rehearse release remove render repair repeat replace report require
    resample reserve reset resolve restore resume retry return reverse rewrite round run sample save
    scale scan schedule search select send separate serve set settle shorten show shuffle sign simulate
    skip sleep solve sort spell split start state stop store stream strip study submit suggest sum
    summarise survey swap switch take tell test tighten trace track translate traverse trim truncate try
    undo unlock unpack update upgrade use validate verify visit wait walk warn weigh widen wrap write
    yield""".split()  # noqa: SIM905
)
QUANTITIES = frozenset({"core", "stats", "scaling"})
"""Rooms whose functions may be named after a test or a quantity of the textbooks, where they give numbers."""
NUMBERS = frozenset({"float", "int", "Floats", "Integers", "Interval", "complex"})
LIMITS = {
    "claims": (49, 56),
    "cli": (41, 68),
    "core": (25, 54),
    "design": (9, 22),
    "exchange": (115, 52),
    "files": (6, 3),
    "interventions": (4, 41),
    "lab": (126, 194),
    "laboratory": (9, 11),
    "report": (331, 317),
    "results": (27, 41),
    "run": (71, 188),
    "scaling": (126, 103),
    "spec": (135, 95),
    "stats": (196, 297),
    "store": (51, 77),
    "testing": (35, 32),
    "timing": (0, 4),
}


RECORD_METHODS = frozenset(vars(Reading))
"""What is asked of a record: whatever answers in its place has methods of these names."""


def is_exempt(function: ast.FunctionDef, room: str) -> bool:
    """Whether a function need not begin with a verb: properties, predicates, hooks, and quantities."""
    decorators = {getattr(node, "id", getattr(node, "attr", "")) for node in function.decorator_list}
    returned = ast.unparse(function.returns) if function.returns else ""
    return (
        bool(decorators & {"property", "cached_property", "contextmanager", "fixture", "command"})
        or function.name.startswith(("__", "pytest_", "is_", "has_", "_is_", "_has_"))
        or (room == "exchange" and function.name in RECORD_METHODS)
        or (room in QUANTITIES and returned in NUMBERS)
    )


def bound_names(node: ast.AST) -> list[str]:
    """Names that a node binds."""
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
        return [node.id if isinstance(node, ast.Name) else node.attr]
    if isinstance(node, ast.arg):
        return [node.arg]
    return [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []


@cache
def count_names() -> dict[str, tuple[int, int]]:
    """For each room, names that are refused, and functions that begin with no verb."""
    refused: Counter[str] = Counter()
    verbless: Counter[str] = Counter()
    for file in ROOT.rglob("*.py"):
        room = file.relative_to(ROOT).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(file.read_text())):
            refused[room] += sum(name.strip("_") in REFUSED for name in bound_names(node))
            if isinstance(node, ast.FunctionDef) and not is_exempt(node, room):
                verbless[room] += node.name.strip("_").partition("_")[0] not in VERBS
    return {room: (refused[room], verbless[room]) for room in {*refused, *verbless}}


def test_no_room_has_more_names_to_replace_than_before():
    counted = {room: numbers for room, numbers in count_names().items() if numbers != (0, 0)}
    worse = {
        room: numbers
        for room, numbers in counted.items()
        if any(number > limit for number, limit in zip(numbers, LIMITS.get(room, (0, 0)), strict=True))
    }
    assert worse == {}, "give these nouns of the field, or a verb; CONTRIBUTING.md"


def test_the_limits_are_what_is_there_so_that_no_name_comes_back():
    counted = {room: numbers for room, numbers in count_names().items() if numbers != (0, 0)}
    assert counted == LIMITS, "lower the limits to these numbers"
