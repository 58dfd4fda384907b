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
    from steelyard.extensions.explain.request import ExplainRequest
    from steelyard.extensions.explain.results import Explanation
    from steelyard.extensions.explain.sampling import Chains
    from steelyard.extensions.explain.validation import Replacement


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
    sources: tuple[str, str] | None = declare(
        "With --validate: the source trees of both programs, from which --build makes {program}; without"
        " --build programs run from there.",
        metavar="OLD NEW",
        nargs=2,
        type=str,
    )
    build: str | None = declare(
        "Link {objects} into {program} with CMD, or make it from {source}.", metavar="CMD"
    )
    counts: bool = declare("Also count instructions and calls of each function, once, by callgrind.")
    validate: bool = declare(
        "Also put the objects or the lines of OLD that have named functions into NEW, and measure what is"
        " left of the difference; with --objects or --sources."
    )
    blocks: int = declare(
        "Blocks, 12 or more; each has both programs plain and sampled.",
        "-m",
        "--min-runs",
        default=20,
        least=1,
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
                "--validate builds and measures, and a record alone has nothing to build from",
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
    from steelyard.extensions.explain.validation import DIRECTORY, validate
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
    objects = locate_objects(directory)
    replacement = _choose_replacement(options, request, objects)
    with as_a_whole(options.output, directory) as line:
        tell = partial(tell_beside, line)
        explain(request, profiler, directory, watch=line.update, tell=tell)
        if options.counts:
            count(request, directory, tell)
        if replacement is not None:
            explanation = explain_directory(directory)
            validate(replacement, explanation, directory, watch=line.update, tell=tell)
            replacement.discard(directory / DIRECTORY)
        if request.linking is not None:
            shutil.rmtree(objects, ignore_errors=True)
            discard_programs(directory)
    return directory


def _choose_replacement(
    options: ExplainOptions, request: ExplainRequest, objects: Path
) -> Replacement | None:
    """Return how parts of OLD are put into NEW, where that is asked for."""
    from steelyard.extensions.explain.hunk_replacement import HunkReplacement, choose_make
    from steelyard.extensions.explain.object_replacement import ObjectReplacement, refuse_untestable
    from steelyard.extensions.explain.sources import read_sources

    if options.sources is not None and (options.objects is not None or not options.validate):
        raise UsageError(
            "--sources is of --validate, and --objects says where the parts are"
            if options.objects is not None
            else "--sources says where the lines of functions are, and nothing is put to the test",
            hint="--objects or --sources, not both" if options.objects is not None else "add --validate",
        )
    if not options.validate:
        return None
    if request.linking is not None:
        refuse_untestable()
        return ObjectReplacement(request, request.linking, objects)
    if options.sources is None:
        raise UsageError(
            "--validate puts parts of OLD into NEW, and it is not said where these are",
            hint="--objects old/ new/ --build 'cc {objects} -o {program}', or --sources old/ new/",
        )
    sources = read_sources(options.sources, options.build or "")
    return HunkReplacement(
        request, sources, objects.with_name(f"{objects.name}-trees"), choose_make(request, sources)
    )


def _find_linking(options: ExplainOptions) -> Linking | None:
    """Return what both programs are linked from, where that is said."""
    from steelyard.extensions.explain.linking import read_linking

    if options.sources is not None or (options.objects is None and options.build is None):
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
