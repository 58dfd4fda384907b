"""Checks across tables: every placeholder has a value, and every factor changes something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from steelyard.core.errors import SpecError, UsageError
from steelyard.core.units import Scalar
from steelyard.interventions import INTERVENTIONS
from steelyard.interventions.built import CODE_PARTS, Code
from steelyard.spec.check.factors import COMMAND
from steelyard.spec.check.launch import find_queue_factors
from steelyard.spec.check.ranks import texts as launch_texts
from steelyard.spec.experiment import (
    Build,
    Contexts,
    Factor,
    LaunchMethod,
    LevelCommands,
    Program,
    UserMetric,
    Zip,
)
from steelyard.spec.text.origin import Origin, Path, nearest
from steelyard.spec.text.placeholders import names
from steelyard.spec.text.shell_text import expand_for_shell

_SCOPES: Final = {
    "trial": ("source", "build", "trial"),
    "environment": ("source", "build", "trial", "iteration"),
    "build": ("source", "build", "objects", "padding_file"),
    "together": ("source",),
}
"""Where a text stands (in a trial, in a build, in what all treatments share): what it may name besides
factors."""

_HOOKS: Final = {
    "prepare": "trial",
    "cleanup": "trial",
    "setup_once": "together",
    "cleanup_once": "together",
    "before_block": "together",
    "after_block": "together",
    "between_blocks": "together",
    "between_treatments": "together",
}


def check_references(  # noqa: PLR0913, PLR0917 -- every table that takes placeholders
    program: Program,
    build: Build | None,
    factors: tuple[Factor, ...],
    zips: tuple[Zip, ...],
    contexts: Contexts | None,
    metrics: Sequence[UserMetric],
    commands: Sequence[LevelCommands],
    launch: LaunchMethod,
    origin: Origin,
) -> None:
    """Refuse placeholders without a factor, factors without a use, and variables set by an intervention too.

    Raises
    ------
    SpecError
    """
    levels = {factor.name: factor.levels for factor in factors}
    drawn = set(contexts.settings) if contexts else set()
    active = [*(factor.name for factor in factors if factor.intervention), *drawn]
    built = {placeholder for name in active for placeholder in INTERVENTIONS[name].placeholders}
    used = _check_placeholders(program, build, launch, set(levels), built, origin) | _find_derived(metrics)
    used |= {command.factor for command in commands if command.enter is not None}
    used |= set(find_queue_factors(launch, factors))
    for i, level_commands in enumerate(commands):
        for key, words in (("enter", level_commands.enter), ("leave", level_commands.leave)):
            for word in words or ():
                _check_text(("levels", i, key), word, "together", {"source"}, set(levels), origin)
    for name in active:
        path: Path = ("contexts" if name in drawn else "factors", name)
        _check_built(name, build, origin, path)
        if name in CODE_PARTS and Code.name in active:
            text = f"{name} is drawn by code: it cannot be set beside it"
            raise origin.error(path, text, f"leave {name} out, or code")
    for factor in factors:
        if not (factor.intervention or factor.name == COMMAND or factor.name in used):
            link = next((link.name for link in zips if factor.name in link.names), factor.name)
            text = f"nothing uses the factor {factor.name}, so all of its levels would be the same"
            hint = f"put {{{factor.name}}} where it belongs in [program] or [build], or remove it"
            raise origin.error(("factors", link), text, hint)
    if program.shell:
        _check_shell(program, levels, origin)
    _check_variables(program, factors, contexts, origin)


def _check_built(name: str, build: Build | None, origin: Origin, path: Path) -> None:
    """Refuse an intervention that only a build can make where no build takes it."""
    placeholders = INTERVENTIONS[name].placeholders
    if not placeholders:
        return
    texts = (*build.command, *build.env.values()) if build else ()
    if not any(placeholders & names(text) for text in texts):
        listed = " or ".join(f"{{{placeholder}}}" for placeholder in sorted(placeholders))
        problem = f"{name} changes nothing: no [build] takes it"
        raise origin.error(path, problem, f"put {listed} into command in [build]")


def _check_placeholders(
    program: Program,
    build: Build | None,
    launch: LaunchMethod,
    factors: set[str],
    built: set[str],
    origin: Origin,
) -> set[str]:
    """Check placeholders, each known where it stands, and return their names.

    ``built`` are those made by interventions.
    """
    used: set[str] = set()
    for path, text, scope in list_texts(program, build, launch):
        names_of = {*_SCOPES[scope], *(factors if scope != "together" else ())}
        names_of |= built if scope == "build" else set()
        result = _check_text(path, text, scope, names_of, factors, origin)
        if "build" in result and build is None:
            hint = 'write [build] with command = ["make", …], or escape the braces: {{build}}'
            raise origin.error(path, "{build} is used, but [build] is missing", hint)
        if "objects" in result and build is not None and not build.objects:
            hint = 'write objects = ["a.o", "b.o"] in [build], or escape the braces: {{objects}}'
            raise origin.error(path, "{objects} is used, but [build] names none", hint)
        used |= result
    return used


def _check_text(
    path: Path, text: str, scope: str, names_of: set[str], factors: set[str], origin: Origin
) -> set[str]:
    """Return the names of the placeholders of one text."""
    try:
        result = names(text)
    except UsageError as error:
        raise origin.place_error(path, error) from None
    for name in sorted(result - names_of):
        raise _make_unknown(name, names_of, factors, scope, origin, path)
    return result


def _find_derived(metrics: Sequence[UserMetric]) -> set[str]:
    derived = [metric.derive for metric in metrics if metric.derive is not None]
    if not derived:
        return set()
    from steelyard.spec.text.expression import parse

    return {name for text in derived for name in parse(text).names}


def list_texts(
    program: Program, build: Build | None, launch: LaunchMethod
) -> Iterator[tuple[Path, str, str]]:
    """Yield place, text and scope of every text that takes placeholders."""
    for level, words in program.commands.items():
        yield from ((_make_command_place(level), word, "trial") for word in words)
    yield from ((("program", "env", name), value, "environment") for name, value in program.env.items())
    yield from (
        (("program", key), text, "trial")
        for key in ("cwd", "stdin", "output")
        if (text := getattr(program, key)) is not None
    )
    yield from ((("program", "inputs"), text, "trial") for text in program.inputs)
    yield from ((("program", "verify", "files", text), text, "trial") for text in program.verify.files)
    for key, scope in _HOOKS.items():
        hooks: tuple[tuple[str, ...], ...] = getattr(program, key)
        yield from ((("program", key), word, scope) for words in hooks for word in words)
    if build is not None:
        yield from ((("build", "command"), word, "build") for word in build.command)
        yield from ((("build", "env", name), value, "build") for name, value in build.env.items())
        yield from ((("build", "objects"), name, "build") for name in build.objects)
    yield from ((("launch", key), text, "trial") for key, text in launch_texts(launch))


def _make_command_place(level: str) -> Path:
    return ("program", "commands", level) if level else ("program", "command")


def _make_unknown(
    name: str, names_of: set[str], factors: set[str], scope: str, origin: Origin, path: Path
) -> SpecError:
    if name in factors:
        text = f"{{{name}}} has several levels, and this runs once for all treatments"
        return origin.error(path, text, "use prepare or cleanup, which run for each trial")
    if name in ("build", "trial"):
        when = "before there is a trial" if scope == "build" else "for all trials together"
        return origin.error(path, f"{{{name}}} has no value here: this runs {when}", f"remove {{{name}}}")
    text = f"unknown factor {name} in the placeholder {{{name}}}"
    close = nearest(name, sorted(names_of))
    cure = f"did you mean {{{close}}}? For" if close else f"add {name} = […] to [factors]; for"
    return origin.error(path, text, f"{cure} the text itself, write {{{{{name}}}}}")


def _check_shell(program: Program, levels: dict[str, tuple[Scalar, ...]], origin: Origin) -> None:
    """Try every level, so that one which cannot be quoted is seen now and not in a run."""
    plain: dict[str, Scalar] = {"source": "/", "build": "/", "trial": "0"}
    for level, (text,) in program.commands.items():
        for factor in names(text) & set(levels):
            for candidate in levels[factor]:
                try:
                    expand_for_shell(text, {**plain, **dict.fromkeys(levels, "0"), factor: candidate})
                except UsageError as error:
                    raise origin.place_error(_make_command_place(level), error) from None


def _check_variables(
    program: Program, factors: tuple[Factor, ...], contexts: Contexts | None, origin: Origin
) -> None:
    active = [factor.name for factor in factors if factor.intervention]
    active += contexts.settings if contexts else ()
    for name in active:
        for variable in sorted(INTERVENTIONS[name].variables & set(program.env)):
            text = f"{name} sets {variable} itself"
            raise origin.error(
                ("program", "env", variable), text, f"leave {variable} out here, or do without {name}"
            )
        for key in sorted(INTERVENTIONS[name].keys):
            if getattr(program, key) is not None:
                text = f"{name} is varied, and {key} in [program] says one value for all"
                raise origin.error(("program", key), text, f"leave {key} out here, or do without {name}")
