"""``steelyard compare``."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from msgspec.structs import replace

from steelyard.cli import completion
from steelyard.cli.compare_null import (
    BLOCKS_OF_NULL,
    NullTakesItsValueAfterEquals,
    build_option,
    calibrate,
    comparisons_option,
    given,
    null_option,
    objects_option,
    refuse_without_meaning,
)
from steelyard.cli.options import (
    chosen_seed,
    fraction,
    ignore_failure_option,
    input_option,
    json_option,
    max_time_option,
    metric_option,
    protocol_option,
    seed_option,
    strict_option,
    timeout_option,
)
from steelyard.cli.run_and_answer import pointing_to, print_answer, run_with_progress
from steelyard.errors import ProgramError, UsageError

if TYPE_CHECKING:
    from steelyard.lab.compare.compare import CompareRequest
    from steelyard.spec import Experiment


@click.command(
    cls=NullTakesItsValueAfterEquals,
    short_help="Compare commands: which is faster, by how much, and how sure that is.",
)
@click.argument("commands", nargs=-1, required=True, metavar="COMMAND...", shell_complete=completion.commands)
@click.option(
    "-n",
    "--name",
    "--command-name",
    "names",
    multiple=True,
    metavar="NAME",
    help="Label of a command; once for each command.",
)
@click.option(
    "-w",
    "--warmup",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="N",
    help="Warm-up blocks, run first and left out of every result.",
)
@click.option(
    "-m",
    "--min-runs",
    type=click.IntRange(min=2),
    metavar="N",
    help="Run each command at least N times (default: 10).",
)
@click.option(
    "-M", "--max-runs", type=click.IntRange(min=2), metavar="N", help="Run each command at most N times."
)
@click.option(
    "-r",
    "--runs",
    type=click.IntRange(min=2),
    metavar="N",
    help="Run each command exactly N times, whatever the precision.",
)
@click.option(
    "--precision",
    type=fraction,
    default=0.01,
    show_default=True,
    metavar="FRACTION",
    help="Continue until the 95 % interval of every speedup has this relative half-width.",
)
@max_time_option("Stop after this, whatever the precision.", default="3 min")
@click.option(
    "--contexts",
    is_flag=True,
    help="Draw a new context for every block: a random length of the environment, with ASLR off.",
)
@click.option(
    "-L",
    "--parameter-list",
    "parameters",
    nargs=2,
    multiple=True,
    metavar="VAR VALUES",
    help="Run with each of the VALUES (a,b,c) in place of {VAR}.",
)
@click.option(
    "-P",
    "--parameter-scan",
    "scans",
    nargs=3,
    multiple=True,
    metavar="VAR MIN MAX",
    help="Run with each number from MIN to MAX in place of {VAR}.",
)
@click.option(
    "-D",
    "--parameter-step-size",
    "step",
    metavar="STEP",
    help="Step of --parameter-scan (default: 1).",
)
@click.option(
    "--reference", metavar="CMD", help="Compare all COMMANDs with this one instead of with the first."
)
@click.option(
    "-s", "--setup", multiple=True, metavar="CMD", help="Shell command, untimed, before everything."
)
@click.option(
    "-p", "--prepare", multiple=True, metavar="CMD", help="Shell command, untimed, before each run."
)
@click.option(
    "-C", "--conclude", multiple=True, metavar="CMD", help="Shell command, untimed, after each run."
)
@click.option(
    "-c", "--cleanup", multiple=True, metavar="CMD", help="Shell command, untimed, after everything."
)
@click.option(
    "-S",
    "--shell",
    metavar="SHELL",
    help="Run the commands through SHELL -c (default: no shell; 'default' is /bin/sh).",
)
@click.option(
    "-N",
    "no_shell",
    is_flag=True,
    help="Run without a shell (already the default; accepted for hyperfine compatibility).",
)
@ignore_failure_option
@input_option
@timeout_option
@metric_option("Metric to compare: wall_s, cpu_s, rss_bytes, …", default="wall_s")
@click.option(
    "--margin",
    type=fraction,
    metavar="FRACTION",
    help="Smallest difference that matters; a smaller one is called equivalent.",
)
@seed_option
@null_option
@comparisons_option
@build_option
@objects_option
@protocol_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="NAME.lab",
    help="Directory of the record. As in hyperfine, null discards what the commands print, and pipe captures"
    " it (the default); inherit is refused.",
)
@json_option
@strict_option
@click.pass_context
def command(
    ctx: click.Context,
    commands: tuple[str, ...],
    names: tuple[str, ...],
    warmup: int,
    min_runs: int | None,
    max_runs: int | None,
    runs: int | None,
    precision: float,
    max_time_s: float,
    contexts: bool,
    parameters: tuple[tuple[str, str], ...],
    scans: tuple[tuple[str, str, str], ...],
    step: str | None,
    reference: str | None,
    setup: tuple[str, ...],
    prepare: tuple[str, ...],
    conclude: tuple[str, ...],
    cleanup: tuple[str, ...],
    shell: str | None,
    no_shell: bool,
    ignore_failure: bool,
    stdin: str | None,
    timeout_s: float | None,
    metric: str,
    margin: float | None,
    seed: int | None,
    null: str | None,
    comparisons: int | None,
    build: str | None,
    objects: str | None,
    protocol: str | None,
    output: Path | None,
    as_json: bool,
    strict: bool,
) -> None:
    """Run the COMMANDs in random order, block by block, and compare each with the first.

    A command is one argument, so quote it; it is split into words as a shell does. Its output is captured
    and not shown.

    \b
    steelyard compare './old input' './new input'
    steelyard compare -L n 1000,2000 './sort {n}'
    steelyard compare --shell default 'sort a | uniq' 'sort -u a'
    steelyard compare --contexts './prog-O2' './prog-O3'
    steelyard compare --null './prog input'
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.lab.compare.compare import (
        BLOCKS,
        DEFAULT_SHELL,
        CompareRequest,
        shell_words,
        state_directory,
    )

    if comparisons is not None and null is None:
        raise UsageError(
            f"--comparisons {comparisons} needs --null",
            hint=f"steelyard compare --null --comparisons {comparisons} {commands[0]!r}",
        )
    if (build is not None or objects is not None) and (null != "layout" or build is None):
        raise UsageError(
            "--build and --objects are for --null=layout, which links a program in several orders",
            hint="steelyard compare --null=layout --build 'cc {objects} -o {build}/prog' --objects 'a.c b.c'"
            " '{build}/prog'",
        )
    if null is not None:
        refuse_without_meaning(ctx)
    if min_runs is not None and max_runs is not None and max_runs < min_runs:
        raise UsageError(
            f"--max-runs {max_runs} is less than --min-runs {min_runs}",
            hint=f"--runs {max_runs} for exactly {max_runs}, or leave one of them out",
        )
    commands = commands if reference is None else (reference, *commands)
    if no_shell and shell:
        raise UsageError("-N and --shell contradict each other", hint="leave one of them out")
    if shell is None and not no_shell:
        _hint_at_shell([(text, shell_words(text)) for text in commands])
    named = _record_named(output)
    directory = named or state_directory(os.environ, "compare").with_suffix(".lab")
    # Below the first look there is nothing to decide: so many runs, whatever the precision.
    fixed = runs or (max_runs if max_runs and max_runs < BLOCKS else None)
    request = CompareRequest(
        commands=commands,
        names=names,
        parameters=_parameters(parameters, scans, step),
        shell={None: None, "none": None, "default": DEFAULT_SHELL}.get(shell, shell),
        prepare=prepare,
        conclude=conclude,
        setup=setup,
        cleanup=cleanup,
        stdin=stdin,
        output="null" if output == Path("null") else "capture",
        contexts=contexts,
        ignore_failure=ignore_failure,
        timeout_s=timeout_s,
        discard=warmup,
        blocks=fixed or min_runs or BLOCKS,
        max_blocks=max_runs,
        rel_halfwidth=None if fixed else precision,
        max_time_s=max_time_s,
        metric=metric,
        margin=margin,
        seed=chosen_seed(seed, directory),
    )
    if null is not None:
        request = replace(request, blocks=runs or BLOCKS_OF_NULL, rel_halfwidth=None)
        if not given(ctx, "max_time_s"):  # the three minutes are for one comparison
            request = replace(request, max_time_s=math.inf)
        code = calibrate(
            null,
            request,
            comparisons=comparisons,
            build=build,
            objects=objects,
            output=named,
            as_json=as_json,
        )
        ctx.exit(code)
    with pointing_to(directory):
        with _hooks_as_options(request):
            run_with_progress(_experiment(request, scans), directory)
        code = print_answer(directory, as_json=as_json, strict=strict, protocol=protocol)
    click.echo(f"record: {directory}" if as_json else f"\nrecord: {directory}", err=as_json)
    ctx.exit(code)


def _parameters(
    lists: Sequence[tuple[str, str]], scans: Sequence[tuple[str, str, str]], step: str | None
) -> dict[str, list[str]]:
    """Collect the values of every parameter, and refuse what would be left out: a parameter that is given
    twice, a step without a scan.
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


def _record_named(output: Path | None) -> Path | None:
    """Tell a record from what hyperfine's ``--output`` means, which is about what programs print."""
    if output == Path("inherit"):
        raise UsageError(
            "--output inherit: a terminal that scrolls would be part of the time",
            hint="--output null, or leave it out: output is captured",
        )
    if output == Path("-") or (output and output.suffix in _FILES):
        raise UsageError(
            f"--output {output}: a record is a directory, and what programs print goes to no file",
            hint=f"--output {output.stem.strip('-') or 'NAME'}.lab for the record; the answer alone: > FILE",
        )
    return None if output in _STREAMS else output


_STREAMS: Final = (Path("null"), Path("pipe"))
"""Values of ``--output`` in hyperfine, about what programs print; a record is called ``NAME.lab``."""

_FILES: Final = (".csv", ".json", ".jsonl", ".log", ".md", ".out", ".txt")
"""Ends of names by which users mean a file of text."""

_OPTIONS: Final = {
    "analysis.metric": "--metric",
    "analysis.margin": "--margin",
    "design.stop.max_blocks": "--max-runs",
    "design.blocks": "--min-runs",
    "factors": "--parameter-list",
    "program.timeout": "--timeout",
}
"""Key of a spec to the option that sets it here."""


@contextmanager
def _hooks_as_options(request: CompareRequest) -> Iterator[None]:
    """Name the options whose command before or after a run failed, where a spec has other words for them."""
    given = [f"--{name}" for name in ("prepare", "conclude") if getattr(request, name)]
    try:
        yield
    except ProgramError as error:
        said = error.message.replace("a prepare or cleanup command", f"a {' or '.join(given)} command")
        named = f"the commands of {' and '.join(given)}"
        hint = error.hint and error.hint.replace("the prepare and cleanup commands", named)
        raise ProgramError(said, hint=hint) from error


def _experiment(request: CompareRequest, scans: Sequence[tuple[str, str, str]]) -> Experiment:
    """Make the experiment; errors name the options of this command."""
    options = dict(_OPTIONS)
    if scans:
        options["factors"] = "--parameter-scan" if len(scans) == len(request.parameters) else "parameter"
    try:
        return request.experiment()
    except UsageError as error:
        said = error.message.removeprefix("experiment(): ")
        for key, option in options.items():
            if said.startswith(key):
                said = f"{option}{said.removeprefix(key).replace('.', ' ', 1)}"
        hint = error.hint and error.hint.replace("max_blocks = ", "--max-runs ").replace(
            "in [program] or [build]", "in a command"
        )
        raise UsageError(said.removesuffix(", which is blocks"), hint=hint) from error


def _hint_at_shell(found: list[tuple[str, list[str]]]) -> None:
    for text, words in found:
        if words:
            click.echo(
                f"hint: {text!r} runs without a shell, so {words[0]!r} is passed to it as an ordinary word;"
                " --shell default runs it through /bin/sh",
                err=True,
            )
