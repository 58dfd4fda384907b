"""The options of a command, declared once: an attribute of a class for each.

The attribute has the type that the command's body sees; what click is told follows from it, from its name
and from its declaration::

    class RunOptions(Options):
        runs: int | None = declare("Run each command exactly N times.", "-r", least=2)


    @click.command()
    @take(RunOptions)
    def command(options: RunOptions) -> None:
        '''Run it.'''
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from steelyard.cli.single import SingleOption
from steelyard.core.errors import UsageError

if TYPE_CHECKING:
    import msgspec

Body = Callable[..., Any]
Request = TypeVar("Request", bound="msgspec.Struct")


def _name_place(flag: str, read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Let the errors of a reader say to which option a value belongs."""

    def read_option(value: str) -> Any:
        try:
            return read(value)
        except UsageError as error:
            if flag in error.message:
                raise
            raise UsageError(f"{flag}: {error.message}", hint=error.hint) from None

    read_option.__name__ = read.__name__
    return read_option


class Declaration:
    """One option or argument before its name and type are known."""

    def __init__(
        self, make: Callable[..., Callable[[Body], Body]], words: Sequence[str], attributes: dict[str, Any]
    ) -> None:
        self._make = make
        self._words = words
        self._attributes = attributes

    def add_to(self, body: Body, name: str, annotation: str) -> Body:
        """Add the parameter to a command's body, by the name and the type of its attribute."""
        words = [*self._words]
        attributes = dict(self._attributes)
        if self._make is click.option:
            if name not in words and not any(word.startswith("--") for word in words):
                words.append(f"--{name.replace('_', '-')}")
            if annotation == "bool":
                attributes["is_flag"] = True
            elif annotation.startswith("tuple[") and "type" not in attributes:
                attributes["multiple"] = True
            if attributes.get("default") not in (None, ""):
                attributes.setdefault("show_default", True)
            if isinstance(attributes.get("type"), FunctionType):
                flag = next((word for word in words if word.startswith("--")), words[0])
                attributes["type"] = _name_place(flag, attributes["type"])
        return self._make(*dict.fromkeys((*words, name)), **attributes)(body)


def declare(
    text: str,
    *flags: str,
    least: int | None = None,
    most: int | None = None,
    choices: Sequence[str] = (),
    complete: Callable[..., Any] | None = None,
    **attributes: Any,
) -> Any:
    """Declare an option; without a long flag, or the name of its attribute among the flags, that is its flag.

    Parameters
    ----------
    text : str
        Its help.
    least, most : int, optional
        Bounds of an integer.
    complete : callable, optional
        Completes its value in a shell.
    attributes
        As ``click.option`` takes them.
    """
    if least is not None:
        attributes = {"metavar": "N", **attributes, "type": click.IntRange(min=least, max=most)}
    if choices:
        attributes["type"] = click.Choice(choices)
    if complete is not None:
        attributes["shell_complete"] = complete
    return Declaration(click.option, flags, {"help": text, "cls": SingleOption, **attributes})


def declare_argument(
    metavar: str | None = None, *, complete: Callable[..., Any] | None = None, **attributes: Any
) -> Any:
    """Declare an argument; ``attributes`` as ``click.argument`` takes them."""
    if metavar is not None:
        attributes["metavar"] = metavar
    if complete is not None:
        attributes["shell_complete"] = complete
    return Declaration(click.argument, (), attributes)


class Options:
    """Values of the options and arguments of one command line; subclasses declare and inherit them."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        vars(self).update(values)

    @classmethod
    def declarations(cls) -> dict[str, Declaration]:
        """Return the declarations by name, in the order of the help: inherited ones last."""
        return {
            name: value
            for kind in cls.__mro__
            for name, value in vars(kind).items()
            if isinstance(value, Declaration)
        }

    @classmethod
    def annotation(cls, name: str) -> str:
        """Return the annotation of a declaration."""
        kind = next(kind for kind in cls.__mro__ if name in vars(kind))
        return str(kind.__annotations__[name])

    def has_any(self) -> bool:
        """Whether the command line has one of them."""
        return any(vars(self).values())

    def fill(self, request: type[Request], **values: Any) -> Request:
        """Make a request of ``values`` and of the options that are called as its fields.

        A field whose option is not given keeps its default.
        """
        fields = request.__struct_fields__
        options = {name: value for name, value in vars(self).items() if name in fields and value is not None}
        return request(**options | values)


class DataOptions(Options):
    """Options of ``steelyard check`` about data that are no record; an extension declares them."""


def take(*kinds: type[Options]) -> Callable[[Body], Body]:
    """Give a command its options, and hand their values to its body: an object of each of these classes."""

    def decorate(body: Body) -> Body:
        def call_body(**values: Any) -> Any:
            return body(*(kind({name: values[name] for name in kind.declarations()}) for kind in kinds))

        command: Body = update_wrapper(call_body, body)
        for kind in reversed(kinds):
            for name, declaration in reversed(kind.declarations().items()):
                command = declaration.add_to(command, name, kind.annotation(name))
        return command

    return decorate
