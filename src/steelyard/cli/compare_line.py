"""The words of ``steelyard compare``: options that may stand alone, and those that went to a spec."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from typing import Final

import click
import msgspec

from steelyard.cli.compare_request import ALL_CODES, is_shell
from steelyard.cli.options import fraction
from steelyard.cli.paths import PathCommand
from steelyard.core.errors import UsageError
from steelyard.core.extension import list_modes

_ALONE: Final = {
    "--ignore-failure": ALL_CODES,
    **{f"--{name}": mode.alone for name, mode in list_modes().items() if mode.alone},
}
_BUNDLE: Final = re.compile("-[Ni]{2,}")
"""Short options that stand alone, written together."""


class CompareCommand(PathCommand):
    """A command with options that may stand alone: the word after one is a program, never its value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Complete options that stand alone, as hyperfine 2 does.

        ``-i`` alone is ``--ignore-failure`` of all codes, and ``-S`` before what is no shell
        ``--shell=default``. ``-i=1,2`` is ``--ignore-failure=1,2``, whose value has a ``=`` before it.

        Raises
        ------
        UsageError
            ``--contexts=layout``, which a spec says.
        """
        end = args.index("--") if "--" in args else len(args)
        words = [word for text in args[:end] for word in _split_bundle(text)]
        following = [*words[1:], ""]
        words = [
            "--shell=default"
            if word == "-S" and not is_shell(next_word)
            else f"{word}={_ALONE[word]}"
            if word in _ALONE
            else word
            for word, next_word in zip(words, following, strict=False)
        ]
        try:
            return super().parse_args(ctx, words + args[end:])
        except click.BadOptionUsage as error:
            if error.option_name == "--contexts":
                raise LAYOUT.refuse("--contexts", "layout") from None
            raise

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, and the former options, which refuse their values."""
        return [*super().get_params(ctx), *_FORMER_OPTIONS]


def _split_bundle(word: str) -> list[str]:
    """Split ``-Ni`` into its options, and write ``-i`` and ``-i=1`` with the long name."""
    letters = [f"-{letter}" for letter in word[1:]] if _BUNDLE.fullmatch(word) else [word]
    return [
        f"--ignore-failure{text[2:]}" if text == "-i" or text.startswith("-i=") else text for text in letters
    ]


class Former(msgspec.Struct, frozen=True):
    """An option that ``compare`` had.

    Attributes
    ----------
    example : str
        A value, where that of the command line cannot be used.
    cure : callable
        The words that say the same as the option with a value; raises where the value cannot be used.
    is_key : bool
        Whether it is a key of a spec now.
    """

    example: str
    cure: Callable[[str], str]
    is_key: bool = True

    def refuse(self, option: str, value: str) -> UsageError:
        """Return the error that names the option, its value, and where it went."""
        try:
            cure = self.cure(value)
        except (ValueError, click.BadParameter):
            cure = self.cure(self.example)
        message = f"compare no longer has {option}={shlex.quote(value)}"
        if not self.is_key:
            return UsageError(message, hint=cure)
        return UsageError(
            f"{message}: it is a key of a spec",
            hint=f"in a spec for steelyard run (docs/coming-from-hyperfine.md shows one):\n\n{cure}",
        )


def _make_option(name: str, former: Former) -> click.Option:
    """Return an option that no help lists, and that refuses its value."""

    def refuse(_ctx: click.Context, _option: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise former.refuse(name, value)

    return click.Option([name], hidden=True, expose_value=False, is_eager=True, callback=refuse)


def _key(table: str, name: str, read: Callable[[str], object]) -> Callable[[str], str]:
    """Return how a value of an option is written as a key of a spec."""
    return lambda value: f"[{table}]\n{name} = {json.dumps(read(value), ensure_ascii=False)}"


LAYOUT: Final = Former("layout", lambda _: '[contexts]\ncode = "random"')
"""``--contexts=layout``; ``--contexts`` alone is an option still."""
FORMER: Final = {
    "--precision": Former("0.01", _key("design.stop", "rel_halfwidth", fraction)),
    "--timeout": Former("10 s", _key("program", "timeout", str)),
    "--seed": Former("1", _key("design", "seed", int)),
    "--build": Former("cc {objects} -o {build}/prog", _key("build", "command", shlex.split)),
    "--objects": Former("a.c b.c", _key("build", "objects", shlex.split)),
    "--comparisons": Former("200", "steelyard compare --null={} COMMAND".format, is_key=False),
    "--protocol": Former(
        "nogueira-matias-2014", "steelyard analyze RECORD --protocol {}".format, is_key=False
    ),
    "--export-json-2": Former(
        "FILE", "steelyard export RECORD --format hyperfine-2 -o {}".format, is_key=False
    ),
}
"""Options that ``compare`` had, by name."""
_FORMER_OPTIONS: Final = tuple(_make_option(*entry) for entry in FORMER.items())
