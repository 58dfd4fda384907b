"""``compare --null=layout --build``: one source, linked in two orders that were drawn at random.

Whoever builds two versions of a program links them in two orders, seen from where functions and tables come
to lie: that alone makes one of them faster. Here both arms are one source, and their objects stand in two
orders of which neither is better. Steelyard's way draws both anew for each block, with the shift of code and
data and the length of the environment; beside it stands what the two first orders do in one context.
(Mytkowicz et al. 2009, DOI 10.1145/1508244.1508275.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.design.randomness import generator, permutation
from steelyard.errors import UsageError
from steelyard.interventions.built import ORDERS, LinkOrder, Padding
from steelyard.lab.compare.compare import Comparing, split
from steelyard.lab.compare.null import Make, only_command, seed_of
from steelyard.lab.compare.null_layout import LONGEST_NAME, PLACE
from steelyard.spec.experiment import Build, Contexts, Experiment, Factor, Range, Zip
from steelyard.spec.text.placeholders import escape
from steelyard.stats.null import Way
from steelyard.units import Scalar

_OBJECT: Final = "object_{}"
Setting = Scalar | tuple[Scalar, ...] | Range

_OURS: Final = ("build", "objects", "padding_file")


class Building(msgspec.Struct, frozen=True):
    """How the program of a null is built.

    Attributes
    ----------
    command : str
        With ``{objects}`` and ``{build}``, and ``{padding_file}`` where code and data shall be shifted too;
        split into words as a shell splits them.
    objects : sequence of str
        What ``{objects}`` stands for.
    """

    command: str
    objects: tuple[str, ...]


def built_layouts(comparing: Comparing, building: Building) -> Make:
    """The objects in two orders: drawn anew in each block, and in one context as they first were.

    Raises
    ------
    UsageError
        Not exactly one command, one for a shell, a build that takes no objects, or fewer than two of them.
    """
    if comparing.shell is not None:
        raise UsageError("--build makes a program, and a shell's command is none", hint="leave -S out")
    if "{objects}" not in building.command or "{build}" not in building.command:
        raise UsageError(
            f"--build {building.command!r} does not name {{objects}} and {{build}}",
            hint="steelyard compare --null=layout --build 'cc {objects} -o {build}/prog' --objects 'a.c b.c'"
            " '{build}/prog'",
        )
    if len(set(building.objects)) < 2:
        raise UsageError(
            f"--objects names {len(set(building.objects))}, which has one order only",
            hint="--objects 'a.c b.c': two files or more",
        )
    only_command(comparing)
    build = Build(
        command=tuple(_kept(word) for word in split(building.command)),
        inputs=building.objects,
        objects=tuple(f"{{{_OBJECT.format(place)}}}" for place in range(len(building.objects))),
    )

    def make(number: int, _place: Path) -> Mapping[Way, Experiment]:
        draw = generator(comparing.seed, "layout", number)
        rows = [tuple(permutation(building.objects, draw)) for _ in "ab"]
        bytes_ = [2 * int(draw.random() * LONGEST_NAME) for _ in "ab"]
        order = 1 + int(draw.random() * ORDERS)
        plain = replace(comparing, contexts=True, seed=seed_of(comparing, number)).experiment()
        commands = {
            name: tuple(_unescaped(word) for word in command)
            for name, command in plain.program.commands.items()
        }
        program = msgspec.structs.replace(plain.program, commands=commands)
        asked = msgspec.structs.replace(plain, program=program, build=build)
        names = (PLACE, *(_OBJECT.format(place) for place in range(len(building.objects))))
        arms = [("a", *rows[0]), ("b", *rows[1])]
        settings: dict[str, Setting] = {
            **(plain.contexts.settings if plain.contexts else {}),
            LinkOrder.name: "random",
        }
        if "{padding_file}" in building.command:
            settings[Padding.name] = "random"
        held: dict[str, Setting] = {"aslr": "off", LinkOrder.name: order}
        return {
            "contexts": _linked(asked, names, arms, Contexts(settings)),
            "one_context": _linked(
                asked,
                (*names, "env_bytes"),
                [(*arm, each) for arm, each in zip(arms, bytes_, strict=True)],
                Contexts(held),
            ),
        }

    return make


def _linked(
    asked: Experiment, names: tuple[str, ...], rows: Sequence[tuple[str | int, ...]], contexts: Contexts
) -> Experiment:
    factors = tuple(
        Factor(name, tuple(dict.fromkeys(column)), intervention=name == "env_bytes")
        for name, column in zip(names, zip(*rows, strict=True), strict=True)
    )
    return msgspec.structs.replace(
        asked,
        factors=(*asked.factors, *factors),
        zips=(Zip(names, tuple(rows), name="layout"),),
        contexts=contexts,
    )


def _kept(word: str) -> str:
    """A word of the build's command with nothing expanded but what is ours."""
    return _unescaped(escape(word))


def _unescaped(word: str) -> str:
    for name in _OURS:
        word = word.replace(f"{{{{{name}}}}}", f"{{{name}}}")
    return word
