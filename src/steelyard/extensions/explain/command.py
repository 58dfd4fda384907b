"""``steelyard explain``."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli import completion
from steelyard.cli.campaign import as_a_whole
from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import (
    chosen_seed,
    declare_file,
    input_option,
    json_option,
    max_time_option,
    output_option,
    seed_option,
    timeout_option,
)
from steelyard.cli.paths import PathCommand
from steelyard.cli.terminal import show, tell_beside
from steelyard.core.errors import UsageError

if TYPE_CHECKING:
    from steelyard.extensions.explain.linking import Linking
    from steelyard.extensions.explain.results import Explanation
    from steelyard.extensions.explain.sampling import Chains


class ExplainOptions(Options):
    """Options of ``steelyard explain``."""

    programs: tuple[str, ...] = declare_argument("OLD NEW | RECORD", nargs=-1, complete=completion.commands)
    metric: str = declare(
        "Metric of which the difference is explained: cpu_s, or wall_s with its waits.",
        default="cpu_s",
        choices=("cpu_s", "wall_s"),
    )
    rate_hz: int | None = declare("Samples per second of CPU time (default: 4999).", "--rate", least=1)
    chains: Chains = declare(
        "How callers are found: fp (frame pointers), dwarf (slower, without them), or none.",
        default="fp",
        choices=("fp", "dwarf", "none"),
    )
    profile_command: str | None = declare(
        "Sample with CMD instead of perf: it runs {command} and writes collapsed stacks to {profile}.",
        metavar="CMD",
    )
    objects: tuple[str, str] | None = declare(
        "Link both programs anew for each block, from the objects in these directories or of these patterns,"
        " in a layout that is drawn; with --build.",
        metavar="OLD NEW",
        nargs=2,
        type=str,
    )
    build: str | None = declare("Link {objects} into {program} with CMD.", metavar="CMD")
    counts: bool = declare("Also count instructions and calls of each function, once, by callgrind.")
    validate: bool = declare(
        "Also link the objects of OLD that define named functions into NEW, and measure what is left of the"
        " difference; with --objects."
    )
    blocks: int = declare(
        "Blocks; each has both programs plain and sampled.", "-m", "--min-runs", default=20, least=1
    )
    max_time_s: float = max_time_option("Stop after this, to a block.", default="180 s")
    stdin: str | None = input_option
    timeout_s: float | None = timeout_option
    seed: int | None = seed_option
    output: Path | None = output_option
    html: Path | None = declare_file("Also write the page of steelyard report, with flame graphs.")
    collapsed: Path | None = declare_file(
        "Also write collapsed stacks: microseconds in OLD and in NEW, a chain a line."
    )
    speedscope: Path | None = declare_file("Also write both profiles for speedscope.")
    as_json: bool = json_option


@click.command(cls=PathCommand, short_help="Find the functions that carry a difference between two programs.")
@take(ExplainOptions)
def command(options: ExplainOptions) -> None:
    """Find which functions make NEW slower or faster than OLD, with an interval for each.

    Both programs run plain and sampled by perf in randomised blocks, so that it is known what sampling
    changes. Functions are named with one error over all of them: with equal programs, any is named in at most
    5 % of runs. Contributions add up to the whole difference. With the record of an earlier call, nothing is
    run.

    \b
    steelyard explain './old input' './new input'
    steelyard explain --counts --html why.html './old input' './new input'
    steelyard explain NAME.lab --json
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.extensions.explain.explain import explain_directory
    from steelyard.extensions.explain.results import EXPLANATION
    from steelyard.extensions.explain.text import lines

    if len(options.programs) == 1:
        directory = Path(options.programs[0])
        _refuse_no_record(directory)
        if options.validate:
            raise UsageError(
                "--validate links and measures, and a record alone has no objects",
                hint="repeat the command that made the record, with --validate: what it has is not run again",
            )
    elif len(options.programs) == 2:
        directory = _measure(options)
    else:
        raise UsageError(
            f"explain takes two programs, got {len(options.programs)}",
            hint="steelyard explain './old input' './new input': each program with its arguments is one word",
        )
    explanation = explain_directory(directory)
    show(
        lambda: EXPLANATION.text(explanation),
        lambda width: lines(explanation, width),
        as_json=options.as_json,
    )
    _write_files(options, explanation, directory)
    if len(options.programs) > 1:
        click.echo(f"record: {directory}", err=options.as_json)


def _refuse_few(blocks: int) -> None:
    from steelyard.extensions.explain.family import FEWEST_BLOCKS

    if blocks < FEWEST_BLOCKS:
        raise UsageError(
            f"--min-runs {blocks}: with fewer than {FEWEST_BLOCKS} blocks, intervals of functions miss the"
            " true contribution too often, as simulations show",
            hint=f"leave --min-runs out, or give {FEWEST_BLOCKS} or more",
        )


def _refuse_no_record(directory: Path) -> None:
    if directory.is_dir():
        return
    raise UsageError(
        f"{directory} is no record, and a program alone has no difference",
        hint=f"steelyard explain '{directory}' NEW",
    )


def _measure(options: ExplainOptions) -> Path:
    _refuse_few(options.blocks)
    from steelyard.extensions.explain.counting import count, refuse_uncountable
    from steelyard.extensions.explain.explain import (
        explain,
        explain_directory,
        locate_objects,
        propose_directory,
    )
    from steelyard.extensions.explain.linking import discard_programs
    from steelyard.extensions.explain.request import ExplainRequest
    from steelyard.extensions.explain.sampling import RATE_HZ, Perf, ProfileCommand
    from steelyard.extensions.explain.validation import DIRECTORY, refuse_untestable, validate
    from steelyard.lab.compare.compare import split

    if options.profile_command is not None and options.rate_hz is not None:
        raise UsageError(
            "--rate is of perf, and --profile-command samples with another profiler",
            hint="put the rate into the profile command",
        )
    directory = options.output or propose_directory()
    old, new = (tuple(split(text)) for text in options.programs)
    request = options.fill(
        ExplainRequest,
        old=old,
        new=new,
        seed=chosen_seed(options.seed, directory),
        linking=_find_linking(options),
    )
    profiler = (
        Perf(options.rate_hz or RATE_HZ, options.chains)
        if options.profile_command is None
        else ProfileCommand(options.profile_command)
    )
    if options.counts:
        refuse_uncountable()
    if options.validate and request.linking is None:
        raise UsageError(
            "--validate puts objects of OLD into NEW, and it is not said which these are",
            hint="--objects old/ new/ --build 'cc {objects} -o {program}'",
        )
    if options.validate:
        refuse_untestable()
    with as_a_whole(options.output, directory) as line:
        tell = partial(tell_beside, line)
        explain(request, profiler, directory, watch=line.update, tell=tell)
        if options.counts:
            count(request, directory, tell)
        objects = locate_objects(directory)
        if options.validate:
            explanation = explain_directory(directory)
            validate(request, explanation, objects, directory, watch=line.update, tell=tell)
        if request.linking is not None:
            shutil.rmtree(objects, ignore_errors=True)
            for record in (directory, directory / DIRECTORY):
                discard_programs(record)
    return directory


def _find_linking(options: ExplainOptions) -> Linking | None:
    """Return what both programs are linked from, where that is said."""
    from steelyard.extensions.explain.linking import read_linking

    if options.objects is None and options.build is None:
        return None
    if options.objects is None or options.build is None:
        raise UsageError(
            "--objects says what is linked and --build how: one is not enough",
            hint="--objects old/ new/ --build 'cc {objects} -o {program}'",
        )
    return read_linking(options.objects, options.build)


def _write_files(options: ExplainOptions, explanation: Explanation, directory: Path) -> None:
    from steelyard.files.writing import write_output

    if options.collapsed is not None:
        from steelyard.extensions.explain.collapsed import write_collapsed

        chains = ((node.chain, node.old_s, node.new_s) for node in explanation.chains)
        write_output(options.collapsed, write_collapsed(chains))
    if options.speedscope is not None:
        from steelyard.extensions.explain.speedscope import write_speedscope

        profiles = {
            "old": {node.chain: node.old_s for node in explanation.chains if node.old_s},
            "new": {node.chain: node.new_s for node in explanation.chains if node.new_s},
        }
        write_output(options.speedscope, write_speedscope(profiles, f"{explanation.old} | {explanation.new}"))
    if options.html is not None:
        from steelyard.cli.page import save_page

        save_page(options.html, directory)
