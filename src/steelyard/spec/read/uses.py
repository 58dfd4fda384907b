"""What goes across tables: every placeholder stands for something, and every factor changes something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steelyard.errors import UsageError
from steelyard.interventions import INTERVENTIONS
from steelyard.spec.experiment import Build, Contexts, Factor, Program, UserMetric, Zip
from steelyard.spec.expression import parse
from steelyard.spec.origin import Origin, Path, suggest
from steelyard.spec.placeholders import names
from steelyard.spec.read.factors import COMMAND
from steelyard.spec.shell_text import expand_for_shell
from steelyard.units import Scalar


def check_uses(
    program: Program,
    build: Build | None,
    factors: tuple[Factor, ...],
    zips: tuple[Zip, ...],
    contexts: Contexts | None,
    metrics: Sequence[UserMetric],
    origin: Origin,
) -> None:
    """Refuse placeholders without a factor, factors without a use, and variables that an intervention sets
    too.

    Raises
    ------
    SpecError
    """
    levels = {factor.name: factor.levels for factor in factors}
    used: set[str] = set()
    for path, text, scope in _texts(program, build):
        known = {*_SCOPES[scope], *(levels if scope in ("trial", "build") else ())}
        try:
            found = names(text)
        except UsageError as error:
            raise origin.placed(path, error) from None
        for name in sorted(found - known):
            raise _unknown(name, known, set(levels), scope, origin, path)
        if "build" in found and build is None:
            hint = 'write [build] with command = ["make", …], or escape the braces: {{build}}'
            raise origin.error(path, "{build} is used, but there is no [build]", hint)
        used |= found
    used |= {name for metric in metrics if metric.derive for name in parse(metric.derive).names}
    if program.shell:
        _check_shell(program, levels, origin)
    for factor in factors:
        if not (factor.intervention or factor.name == COMMAND or factor.name in used):
            link = next((link.name for link in zips if factor.name in link.names), factor.name)
            what = f"nothing uses the factor {factor.name}, so all of its levels would be the same"
            hint = f"put {{{factor.name}}} where it belongs in [program] or [build], or remove it"
            raise origin.error(("factors", link), what, hint)
    _check_variables(program, factors, contexts, origin)


_SCOPES = {
    "trial": ("source", "build", "trial"),
    "build": ("source", "build"),
    "block": ("source",),
    "once": ("source",),
}
"""Where a text stands: what it may name besides factors."""


def _texts(program: Program, build: Build | None) -> Iterator[tuple[Path, str, str]]:
    """Place, text and scope of every text that takes placeholders."""
    for level, words in program.commands.items():
        place: Path = (
            ("program", "commands", level) if level or len(program.commands) > 1 else ("program", "command")
        )
        yield from ((place, word, "trial") for word in words)
    yield from ((("program", "env", name), value, "trial") for name, value in program.env.items())
    yield from (
        (("program", key), text, "trial")
        for key in ("cwd", "stdin")
        if (text := getattr(program, key)) is not None
    )
    for key, scope in _HOOK_SCOPES.items():
        hooks: tuple[tuple[str, ...], ...] = getattr(program, key)
        yield from ((("program", key), word, scope) for words in hooks for word in words)
    if build is not None:
        yield from ((("build", "command"), word, "build") for word in build.command)
        yield from ((("build", "env", name), value, "build") for name, value in build.env.items())


_HOOK_SCOPES = {
    "prepare": "trial",
    "cleanup": "trial",
    "setup_once": "once",
    "cleanup_once": "once",
    "before_block": "block",
    "after_block": "block",
}


def _unknown(
    name: str, known: set[str], factors: set[str], scope: str, origin: Origin, path: Path
) -> Exception:
    if name in factors:
        what = f"{{{name}}} has no one level here: this runs for all treatments together"
        return origin.error(path, what, "use prepare or cleanup, which run for each trial")
    if name in ("build", "trial"):
        when = "before there is a trial" if scope == "build" else "for all trials together"
        return origin.error(
            path, f"{{{name}}} stands for nothing here: this runs {when}", f"remove {{{name}}}"
        )
    what = f"there is no factor {name} for the placeholder {{{name}}}"
    hint = suggest(name, sorted(known), "placeholders")
    return origin.error(
        path,
        what,
        f"{hint} For the text itself, write {{{{{name}}}}}"
        if hint.endswith("?")
        else f"add {name} = […] to [factors], or write {{{{{name}}}}} for the text itself",
    )


def _check_shell(program: Program, levels: dict[str, tuple[Scalar, ...]], origin: Origin) -> None:
    """Try the hardest level of each factor, so that a level that cannot be quoted is seen now and not in a
    run.
    """
    plain: dict[str, Scalar] = {"source": "/", "build": "/", "trial": "0"}
    for level, (text,) in program.commands.items():
        path: Path = (
            ("program", "commands", level) if level or len(program.commands) > 1 else ("program", "command")
        )
        for factor in names(text) & set(levels):
            for each in levels[factor]:
                try:
                    expand_for_shell(text, {**plain, **dict.fromkeys(levels, "0"), factor: each})
                except UsageError as error:
                    raise origin.placed(path, error) from None


def _check_variables(
    program: Program, factors: tuple[Factor, ...], contexts: Contexts | None, origin: Origin
) -> None:
    active = [factor.name for factor in factors if factor.intervention] + list(
        contexts.settings if contexts else ()
    )
    for name in active:
        for variable in sorted(INTERVENTIONS[name].variables & set(program.env)):
            what = f"{name} sets {variable} itself"
            raise origin.error(
                ("program", "env", variable), what, f"leave {variable} out here, or do without {name}"
            )
