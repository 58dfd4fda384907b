"""From the options of ``compare`` to what is run: errors name options, where a spec has keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from steelyard.cli.paths import TEXT_FILES
from steelyard.core.errors import ProgramError, UsageError

if TYPE_CHECKING:
    from steelyard.lab.compare.compare import CompareRequest
    from steelyard.spec import Experiment

_STREAMS: Final = (Path("null"), Path("pipe"))
"""Values of ``--output`` in hyperfine, about what programs print; a record is called ``NAME.lab``."""

_SHELLS: Final = frozenset(
    {
        "ash",
        "bash",
        "csh",
        "dash",
        "elvish",
        "fish",
        "ksh",
        "mksh",
        "nu",
        "oksh",
        "sh",
        "tcsh",
        "xonsh",
        "yash",
    }
    | {"zsh", "default", "none"}
)
"""Names of shells, and hyperfine's two words in place of one."""


def is_shell(command: str) -> bool:
    """Whether a command's program has the name of a shell, or stands among this machine's login shells."""
    program = next(iter(command.split()), "")
    try:
        login_shells = Path("/etc/shells").read_text(encoding="utf-8").split()
    except OSError:
        login_shells = []
    return program in login_shells or Path(program).name in _SHELLS


def check_shell(_ctx: click.Context, _option: click.Parameter, shell: str | None) -> str | None:
    """Refuse a value of ``--shell`` that is no shell: it was meant to be compared.

    Raises
    ------
    UsageError
    """
    if shell is None or is_shell(shell):
        return shell
    raise UsageError(
        f"--shell {shell!r}: not the name of a shell",
        hint="-S alone, or --shell default, is /bin/sh; list another shell in /etc/shells",
    )


ALL_CODES: Final = "all-non-zero"
"""hyperfine's word for every exit code."""


def read_exit_codes(
    _ctx: click.Context, _option: click.Parameter, text: str | None
) -> bool | tuple[int, ...]:
    """Read ``--ignore-failure``: alone or ``all-non-zero``, every end of a run; or exit codes.

    Raises
    ------
    UsageError
        A word, or a number that no program can exit with.
    """
    if text is None:
        return False
    if text == ALL_CODES:
        return True
    codes = [code.strip() for code in text.split(",")]
    wrong = next((code for code in codes if not (code.isdecimal() and int(code) <= 255)), None)
    if wrong is not None:
        raise UsageError(
            f"--ignore-failure={text}: {wrong!r} is not an exit code, 0 to 255",
            hint="--ignore-failure=1,2 accepts these; --ignore-failure accepts all",
        )
    return tuple(map(int, codes))


def read_input(_ctx: click.Context, _option: click.Parameter, text: str | None) -> str | None:
    """Take hyperfine's ``--input null`` for empty input, which is the default; ``./null`` is a file."""
    return None if text == "null" else text


def read_environment(assignments: Sequence[str], commands: Sequence[str]) -> dict[str, str]:
    """Read the variables of ``--env``, which hold for all commands.

    Raises
    ------
    UsageError
        A word without ``=``, an unclosed quote, a variable with two values, or several ``--env`` for several
        commands.
    """
    from steelyard.lab.compare.compare import split

    if len(assignments) > 1 and len(commands) > 1:
        raise UsageError(
            f"--env is given {len(assignments)} times, and holds for all commands",
            hint=f"one --env for all, or: 'env {assignments[-1]} {commands[-1]}'",
        )
    words = [word for text in assignments for word in split(text)]
    if wrong := next((word for word in words if not word.partition("=")[0] or "=" not in word), None):
        raise UsageError(f"--env {wrong!r}: expected NAME=VALUE", hint=f"--env '{wrong}=1'")
    variables: dict[str, str] = {}
    for name, _, value in (word.partition("=") for word in words):
        if variables.setdefault(name, value) != value:
            raise UsageError(
                f"--env sets {name} to {variables[name]!r} and to {value!r}",
                hint=f"to compare both: -L value {variables[name]},{value} --env '{name}={{value}}'",
            )
    return variables


PRESETS: Final = {
    "default": ("wall_s", "rss_bytes"),
    "time": ("wall_s", "cpu_s", "user_s", "system_s"),
}
"""hyperfine's words for several metrics."""


def read_metrics(text: str | None, metric: str | None) -> tuple[str, ...]:
    """Read ``--metrics``: our names and hyperfine's, or a preset; ``metric`` is the one that decides.

    Raises
    ------
    UsageError
        An unknown metric, or a unit.
    """
    from steelyard.core.counters import is_counter
    from steelyard.core.units import BUILTIN
    from steelyard.lab.compare.hyperfine import METRICS
    from steelyard.spec.check.program import COUNTERS, USER_MODE
    from steelyard.spec.hints.metric_names import suggest_metric

    names = PRESETS.get(text or "") or tuple(filter(None, (text or "").split(",")))
    metrics = [METRICS.get(name.strip(), name.strip()) for name in names]
    for name in metrics:
        base, _, unit = name.partition(":")
        if base not in BUILTIN and is_counter(base) and unit in ("", USER_MODE.removeprefix(":")):
            continue
        if unit:
            raise UsageError(
                f"--metrics {name}: a metric has no unit here",
                hint=f"--metrics {base}; of times, --time-unit UNIT",
            )
        if name not in BUILTIN:
            raise UsageError(
                f"--metrics: unknown metric {name!r}", hint=suggest_metric(name, (*BUILTIN, *COUNTERS))
            )
    return tuple(dict.fromkeys(name for name in metrics if name != (metric or "wall_s")))


def list_counters(metrics: Sequence[str]) -> tuple[str, ...]:
    """Those of these metrics that are events of the kernel, which is asked to count them.

    Raises
    ------
    MachineError
        This machine does not count one of them.
    """
    from steelyard.core.counters import is_counter
    from steelyard.core.units import BUILTIN
    from steelyard.spec.check.program import USER_MODE

    bases = {name: name.removesuffix(USER_MODE) for name in metrics}
    names = tuple(name for name, base in bases.items() if base not in BUILTIN and is_counter(base))
    if names:
        from steelyard.lab.compare.counters import refuse_missing_counters

        refuse_missing_counters(names)
    return names


def parameters_of(
    lists: Sequence[tuple[str, str]], scans: Sequence[tuple[str, str, str]], step: str | None
) -> dict[str, list[str]]:
    """Collect the values of every parameter, and refuse what would be left out.

    That is a parameter that is given twice, or a step without a scan.

    Raises
    ------
    UsageError
    """
    from steelyard.lab.compare.compare import scan

    if step is not None and not scans:
        raise UsageError(
            f"--parameter-step-size {step} needs --parameter-scan",
            hint=f"--parameter-scan n 1 8 --parameter-step-size {step}, or leave it out",
        )
    names = [name for name, *_ in (*lists, *scans)]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise UsageError(
            f"the parameter {twice} is given twice",
            hint=f"give all its values at once: --parameter-list {twice} 1,2,8",
        )
    listed = {name: values.split(",") for name, values in lists}
    return listed | {name: scan(first, last, "1" if step is None else step) for name, first, last in scans}


def record_named(output: Path | str | None) -> Path | None:
    """Tell a record from what hyperfine's ``--output`` means, which is about what programs print.

    Raises
    ------
    UsageError
        It means that output goes to the terminal, or into a file.
    """
    if isinstance(output, str):
        return None
    if output == Path("inherit"):
        raise UsageError(
            "--output inherit: a terminal that scrolls would be part of the time",
            hint="--output null; --show-output runs each command once before, and shows what it prints",
        )
    if output == Path("-") or (output and output.suffix in TEXT_FILES):
        raise UsageError(
            f"--output {output}: a record is a directory",
            hint=f"--output {output.stem.strip('-') or 'NAME'}.lab for the record;"
            f" --output ./{output.name.strip('-') or 'FILE'} for the output of the programs; the answer"
            " alone: > FILE",
        )
    return None if output in _STREAMS else output


def stream_named(output: Path | str | None) -> str:
    """Return where programs print to: hyperfine's ``null``, a file, or what is captured."""
    if isinstance(output, str):
        return output
    return "null" if output == Path("null") else "capture"


def check_counts(min_runs: int | None, max_runs: int | None, runs: int | None) -> None:
    """Refuse numbers of runs that contradict each other.

    Raises
    ------
    UsageError
    """
    if min_runs is not None and max_runs is not None and max_runs < min_runs:
        raise UsageError(
            f"--max-runs {max_runs} is less than --min-runs {min_runs}",
            hint=f"--runs {max_runs} for exactly {max_runs}, or leave one of them out",
        )
    for name, value in (("--min-runs", min_runs), ("--max-runs", max_runs)):
        if runs is not None and value is not None:
            raise UsageError(
                f"--runs {runs} is an exact number, so {name} {value} has no meaning",
                hint=f"leave {name} or --runs out",
            )


def warn_of_shell(commands: Sequence[str]) -> None:
    """Say on stderr that words which only a shell understands are passed as they are."""
    from steelyard.lab.compare.compare import shell_words

    for text in commands:
        if words := shell_words(text):
            click.echo(
                f"hint: {text!r} runs without a shell, so {words[0]!r} is passed to it as an ordinary word;"
                " --shell default runs it through /bin/sh",
                err=True,
            )


def experiment_of(request: CompareRequest, scans: Sequence[tuple[str, str, str]]) -> Experiment:
    """Make the experiment; errors name the options of this command.

    Raises
    ------
    UsageError
    """
    from steelyard.lab.compare.arguments import NAMES

    options = {key: f"--{name.replace('_', '-')}" for key, name in NAMES.items()}
    if scans:
        options["factors"] = "--parameter-scan" if len(scans) == len(request.parameters) else "parameter"
    try:
        return request.experiment()
    except UsageError as error:
        text = error.message.removeprefix("experiment(): ")
        for key, option in options.items():
            if text.startswith(key):
                text = f"{option}{text.removeprefix(key).replace('.', ' ', 1)}"
        hint = error.hint and error.hint.replace("max_blocks = ", "--max-runs ").replace(
            "in [program] or [build]", "in a command"
        )
        raise UsageError(text.removesuffix(", which is blocks"), hint=hint) from error


@contextmanager
def hooks_as_options(request: CompareRequest) -> Iterator[None]:
    """Name the options whose command before or after a run failed, where a spec has other words for them."""
    texts = [f"--{name}" for name in ("prepare", "conclude") if getattr(request, name)]
    try:
        yield
    except ProgramError as error:
        text = error.message.replace("a prepare or cleanup command", f"a {' or '.join(texts)} command")
        for key, option in (("setup_once", "--setup"), ("cleanup_once", "--cleanup")):
            text = text.replace(f"a {key} command", f"a {option} command")
        named = f"the commands of {' and '.join(texts)}"
        hint = error.hint and error.hint.replace("the prepare and cleanup commands", named)
        hint = hint and re.sub(r"verify = \{ exit = (\d+) \} under \[program\]", r"--ignore-failure=\1", hint)
        raise ProgramError(text, hint=hint) from error
