"""Two commands or more, without a spec: the experiment that ``compare`` runs, and where its record goes."""

from __future__ import annotations

import itertools
import math
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.look_schedule import Until
from steelyard.core.units import Scalar
from steelyard.interventions.built import Code
from steelyard.lab.compare.argument_checks import refuse_one_text
from steelyard.spec import Experiment, experiment
from steelyard.spec.text.placeholders import escape, expand

if TYPE_CHECKING:
    from decimal import Decimal

BLOCKS: Final = 10
LEAST_BLOCKS: Final = 5
"""The same of an answer about several programs that are slow."""
MAX_TIME_S: Final = 180.0
"""Where a precision is asked for."""
LAYOUT_HINT: Final = (
    'compare("{build}/prog", contexts="layout", build="cc {objects} -o {build}/prog", objects=["a.c", "b.c"])'
)
DEFAULT_SHELL: Final = "/bin/sh"
MOST_VALUES: Final = 10_000
"""Of a parameter that is scanned."""

_ITERATION: Final = "HYPERFINE_ITERATION"
"""Variable in which hyperfine gives a command the number of its run."""

_OURS: Final = ("build", "objects", *Code.placeholders)
"""Placeholders of a build besides parameters."""
_SHELL_WORDS: Final = re.compile(r"\|{1,2}|&{1,2}|;|[0-9]*[<>]{1,2}.*")
_EXPANSIONS: Final = re.compile(r"\$[A-Za-z_({?*@0-9]|`|[*?]|^~(/|$)")
_QUOTED: Final = re.compile(r"'[^']*'|\\.")


class CompareRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Commands to compare, and how.

    Attributes
    ----------
    commands : sequence of str
        Split into words as a shell splits them, and started without one unless ``shell`` is given.
    names : sequence of str
        What to call them; the commands themselves where empty.
    parameters : Mapping[str, Sequence[str]]
        Values for ``{name}`` in the commands; every command runs with every combination.
    prepare, conclude : sequence of str
        Before and after each run: all of them, or one a command where there are as many as commands.
    shell : str or None
        The program that reads each command after ``-c``, and its options (``bash --norc``). It reads commands
        around runs, too; without it ``/bin/sh`` does. Values of parameters are quoted for ``/bin/sh``;
        another shell gets them as they are.
    env : Mapping[str, str]
        Variables of all commands beside those of this process; values may name parameters, and
        ``{iteration}``: the number of the run, from 0, and before those ``warmup-0``, ``warmup-1``, ….
    ignore_failure : bool or sequence of int
        Accept any end of a run, or these exit codes besides 0.
    cpu_limit_s : float or None
        CPU time of all processes of a run; more is a failure.
    memory_limit_bytes : int or None
        Memory of all processes of a run; the kernel ends a run that needs more.
    isolate : bool
        Give each run a file system of its own: what it writes is gone after it.
    no_network : bool
        Give each run a network without devices but its own loopback.
    output : str
        ``"capture"``, ``"null"``, or the path of a file, with a ``/``, that has the standard output of the
        last run.
    contexts : bool or "layout"
        Draw a new context for every block: length of the environment, with ASLR off; with ``"layout"``, also
        the layout of the code, which is rebuilt.
    build : str or None
        Command that builds the program into ``{build}`` from ``{objects}``, split into words as a shell
        splits them. It may name parameters and, of several commands, ``{command}``.
    objects : sequence of str
        Files that ``{objects}`` stands for: sources, or objects to link.
    counters : sequence of str
        Events of ``steelyard.core.counters`` that are counted in every run.
    blocks : int or None
        The least number of blocks; all of them where ``rel_halfwidth`` is ``None``. By default 10, or 5 for
        an answer about slow programs.
    rel_halfwidth : float or "decided" or None
        Add blocks until every speedup has an interval of this relative half-width; or until every verdict
        is decided and its interval narrow against the effect.
    until : {"size", "verdict"}
        Whether an answer waits for intervals that are narrow against their effects, or for verdicts alone.
    max_time_s : float or None
        Add no more after this, also where ``rel_halfwidth`` is ``None``; by default 180 s for a precision,
        10 s for an answer, 3 s for one command.
    """

    commands: Sequence[str]
    names: Sequence[str] = ()
    parameters: Mapping[str, Sequence[str]] = {}
    shell: str | None = None
    env: Mapping[str, str] = {}
    prepare: Sequence[str] = ()
    setup: Sequence[str] = ()
    conclude: Sequence[str] = ()
    cleanup: Sequence[str] = ()
    stdin: str | None = None
    output: str = "capture"
    contexts: bool | Literal["layout"] = False
    build: str | None = None
    objects: Sequence[str] = ()
    ignore_failure: bool | Sequence[int] = False
    timeout_s: float | None = None
    cpu_limit_s: float | None = None
    memory_limit_bytes: int | None = None
    isolate: bool = False
    no_network: bool = False
    discard: int = 1
    blocks: int | None = None
    max_blocks: int | None = None
    rel_halfwidth: float | Literal["decided"] | None = "decided"
    until: Until = "size"
    max_time_s: float | None = None
    metric: str = "wall_s"
    counters: Sequence[str] = ()
    margin: float | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what only a Python program can give: a text where several are expected.

        Raises
        ------
        UsageError
        """
        for name in ("commands", "names", "prepare", "setup", "conclude", "cleanup", "objects"):
            refuse_one_text(name, getattr(self, name))
        for name, values in self.parameters.items():
            if isinstance(values, str):
                raise UsageError(
                    f"parameters: the values of {name} are one text, {values!r}",
                    hint=f"parameters={{{name!r}: {values.split(',')!r}}}",
                )

    def experiment(self) -> Experiment:
        """Make the experiment that a spec of the same content would make.

        Raises
        ------
        UsageError
            A command that is empty or has an unclosed quote, names that are not as many or not different,
            and all that a spec refuses.
        """
        self._refuse_parameters_once()
        labels = _choose_labels(self.commands, self.names)
        commands = {label: self._split_words(text) for label, text in zip(labels, self.commands, strict=True)}
        keys: dict[str, Any] = {
            "name": "compare",
            "source": _find_source(),
            "program": {
                "commands": commands,
                "shell": self.shell == DEFAULT_SHELL,
                "inherit": True,
                "output": escape(self.output),
                "verify": {"exit": self._list_exit_codes()},
                "prepare": self._list_hooks(self.prepare, labels),
                "cleanup": self._list_hooks(self.conclude, labels),
                "cleanup_once": [self._make_hook(text) for text in self.cleanup],
                "setup_once": [self._make_hook(text) for text in self.setup],
            },
            "design": {"blocks": self.least_blocks, "discard": self.discard, "seed": self.seed},
            "analysis": {"metric": self.metric},
        }
        keys["program"] |= self._list_program_keys()
        if self.margin is not None:
            keys["analysis"]["margin"] = self.margin
        if self.parameters:
            keys["factors"] = {
                name: [_make_level(value) for value in values] for name, values in self.parameters.items()
            }
        if self.parameters and len(commands) > 1:
            # Each command with the first at the same values; otherwise values are what is compared.
            keys["analysis"]["baseline"] = {"command": labels[0]}
        if self.contexts:
            keys["contexts"] = {"env_bytes": "random", "aslr": "off"}
        if self.build is not None or self.contexts == "layout":
            keys["build"] = self._build(labels)
            keys["contexts"]["code"] = "random"
        if stop := {key: value for key, value in self._stop().items() if value is not None}:
            keys["design"]["stop"] = stop
        return experiment(**keys)

    def _list_program_keys(self) -> dict[str, Any]:
        """Return the keys of ``[program]`` that stand only where they are asked for."""
        keys: dict[str, Any] = {}
        env = {
            name: _keep_placeholders(value, {*self.parameters, "iteration"})
            for name, value in self.env.items()
        }
        if any(_ITERATION in text for text in (*self.commands, *self.prepare, *self.conclude)):
            env = {_ITERATION: "{iteration}"} | env
        if env:
            keys["env"] = env
        if self.stdin is not None:
            keys["stdin"] = escape(self.stdin)
        if self.timeout_s is not None:
            keys["timeout"] = self.timeout_s
        if self.cpu_limit_s is not None:
            keys["cpu_limit"] = self.cpu_limit_s
        if self.memory_limit_bytes is not None:
            keys["memory_limit"] = self.memory_limit_bytes
        if self.isolate:
            keys["isolate"] = True
        if self.no_network:
            keys["network"] = False
        if self.counters:
            keys["counters"] = list(self.counters)
        return keys

    def _list_exit_codes(self) -> Literal["any"] | int | list[int]:
        if isinstance(self.ignore_failure, bool):
            return "any" if self.ignore_failure else 0
        return sorted({0, *self.ignore_failure})

    def _list_hooks(self, texts: Sequence[str], labels: Sequence[str]) -> list[list[str]]:
        """List untimed commands of every run; as many as commands, each run starts that of its command."""
        if not len(texts) == len(labels) > 1:
            return [self._make_hook(text) for text in texts]
        hooks = [self._make_hook(text) for text in texts]
        # Texts are words of their own: whatever quotes a value has, no shell reads it twice.
        cases = "".join(
            f'{escape(shlex.quote(label))}) exec {shlex.join(hook[:-1])} "${{{{{place}}}}}";;\n'
            for place, (label, hook) in enumerate(zip(labels, hooks, strict=True), 2)
        )
        texts_of_hooks = [hook[-1] for hook in hooks]
        return [["/bin/sh", "-c", f'case "$1" in\n{cases}esac', "sh", "{command}", *texts_of_hooks]]

    def _make_hook(self, text: str) -> list[str]:
        shell = split(DEFAULT_SHELL if self.shell is None else self.shell)
        return [*map(escape, shell), "-c", _keep_placeholders(text, self.parameters)]

    def _refuse_parameters_once(self) -> None:
        """Refuse commands that run once, for all values of a parameter, and name it.

        Raises
        ------
        UsageError
        """
        for option, texts in (("--setup", self.setup), ("--cleanup", self.cleanup)):
            for name in self.parameters:
                if text := next((text for text in texts if f"{{{name}}}" in text), None):
                    raise UsageError(
                        f"{option} {text!r} names {{{name}}}, and runs once for all values: runs of different"
                        " values alternate",
                        hint="--prepare runs before each run, with its value; in a spec, [build] makes a"
                        " program for each value",
                    )

    @property
    def least_blocks(self) -> int:
        """Blocks that are run in any case."""
        if self.blocks is not None:
            return self.blocks
        several = len(self.commands) > 1 or bool(self.parameters)
        return LEAST_BLOCKS if several and self.rel_halfwidth == "decided" else BLOCKS

    def _stop(self) -> dict[str, Any]:
        match self.rel_halfwidth:
            case None:
                return {"max_time": self.max_time_s}
            case "decided":
                until = self.until if self.until != "size" else None
                limits = {"max_blocks": self.max_blocks, "max_time": self.max_time_s}
                return {"decided": True, "until": until} | limits
            case _:
                limit_s = MAX_TIME_S if self.max_time_s is None else self.max_time_s
                target = {"rel_halfwidth": self.rel_halfwidth}
                return target | {"max_blocks": self.max_blocks, "max_time": limit_s}

    def _build(self, labels: Sequence[str]) -> dict[str, Any]:
        """Return the keys of ``[build]``; what objects are called at each level is what it depends on."""
        if self.build is None or self.contexts != "layout":
            raise UsageError(
                'contexts="layout" needs build (which links the program), and build needs it',
                hint=LAYOUT_HINT,
            )
        if "{objects}" not in self.build or "{build}" not in self.build:
            raise UsageError(
                f"build={self.build!r} does not name {{objects}} and {{build}}", hint=LAYOUT_HINT
            )
        levels = {**self.parameters, **({"command": labels} if len(labels) > 1 else {})}
        words = [_keep_placeholders(word, {*levels, *_OURS}) for word in split(self.build)]
        objects = [_keep_placeholders(name, levels) for name in self.objects]
        files = {
            expand(text, dict(zip(levels, row, strict=True)))
            for text in objects
            for row in itertools.product(*levels.values())
        }
        inputs = [f"{{source}}/{name}" if name.startswith("../") else name for name in sorted(files)]
        return {"command": words, "objects": objects, "inputs": inputs}

    def _split_words(self, command: str) -> list[str] | str:
        names = {*self.parameters, *(("build",) if self.build else ())}
        text = _keep_placeholders(command, names)
        if self.shell == DEFAULT_SHELL:
            return text
        if self.shell is not None:
            return [*map(escape, split(self.shell)), "-c", text]
        return split(text)


def _find_source() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        raise UsageError("the current directory no longer exists", hint="cd to another one") from None


def split(command: str) -> list[str]:
    """Split a command into words as a shell does.

    Raises
    ------
    UsageError
        It is empty, or a quote is not closed.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(
            f"{command!r} cannot be split into words: {error}", hint="close the quote, or escape it with \\"
        ) from error
    if not words:
        raise UsageError("a command is empty", hint="steelyard compare './old input' './new input'")
    return words


def shell_words(command: str) -> list[str]:
    """Find words that only a shell would understand, so that a hint can be given.

    Such are ``|``, ``>``, ``$HOME``, ``*.c``; they reach the program as they are. None where a quote is not
    closed, which `split` refuses.
    """
    lexer = shlex.shlex(command, posix=False, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return [word for word in lexer if _SHELL_WORDS.fullmatch(word) or _expands(word)]
    except ValueError:
        return []


def _expands(word: str) -> bool:
    """Whether a shell would put something else in place of a word: a variable, a command, names of files."""
    bare = _QUOTED.sub("", word)
    return (
        _EXPANSIONS.search(re.sub(r'"[^"]*"', lambda quoted: re.sub(r"[*?~]", "", quoted[0]), bare))
        is not None
    )


def scan(first: str, last: str, step: str) -> list[str]:
    """List the values of a parameter from ``first`` to ``last``, both included.

    Raises
    ------
    UsageError
        Not numbers, a step that does not lead from one to the other, or too many values.
    """
    text = f"--parameter-scan {first} {last}"
    low, high = _make_number(first, text), _make_number(last, text)
    delta = _make_number(step, f"--parameter-step-size {step}")
    if not delta:
        raise UsageError(
            f"--parameter-step-size {step}: the step must not be 0", hint="--parameter-step-size 1"
        )
    if (high - low) * delta < 0:
        raise UsageError(
            f"{text}: a step of {step} cannot reach {last} from {first}",
            hint=f"--parameter-step-size={-delta}, or --parameter-scan with {last} before {first}",
        )
    if abs(high - low) >= MOST_VALUES * abs(delta):
        raise UsageError(
            f"{text}: more than {MOST_VALUES:,} values in steps of {step}",
            hint="take a larger --parameter-step-size, or name the values with --parameter-list",
        )
    count = int((high - low) / delta) + 1
    return [str(low + place * delta) for place in range(count)]


def _make_number(text: str, option: str) -> Decimal:
    from decimal import Decimal, InvalidOperation

    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    if not math.isfinite(float(number)):
        raise UsageError(
            f"{option}: {text} is not a finite number",
            hint="give numbers, or name the values with --parameter-list",
        )
    return number


def _choose_labels(commands: Sequence[str], names: Sequence[str]) -> list[str]:
    if names and len(names) != len(commands):
        raise UsageError(
            f"{len(names)} names for {len(commands)} commands",
            hint="give one name for each command, or none",
        )
    labels = list(names) or [" ".join(command.split()) for command in commands]
    if len(set(labels)) == len(labels):
        return labels
    if names:
        raise UsageError(
            f"the names {', '.join(names)} are not all different", hint="give each command a name of its own"
        )
    # The same command twice is a fair question: it shows how different equal programs look.
    return [f"{label} #{place}" for place, label in enumerate(labels, 1)]


def _keep_placeholders(text: str, placeholders: Collection[str]) -> str:
    if not placeholders:
        return escape(text)
    names = "|".join(re.escape(name) for name in placeholders)
    return "".join(
        part if index % 2 else escape(part)
        for index, part in enumerate(re.split(rf"(\{{(?:{names})\}})", text))
    )


def _make_level(text: str) -> Scalar:
    for kind in (int, float):
        try:
            level = kind(text)
        except ValueError:
            continue
        if str(level) == text:
            return level
    return text
