"""The command line: one file a command, loaded when it is called."""

from __future__ import annotations

from steelyard.cli import early

# isort: split
import gc
import sys
from typing import NoReturn

import click

from steelyard import __version__
from steelyard.cli.failures import file_error, is_document, tell, usage_error
from steelyard.cli.group import CommandGroup, show_all
from steelyard.cli.streams import discard_output, open_streams
from steelyard.core.errors import SteelyardError, UsageError
from steelyard.core.extension import Command

CORE = {
    "compare": Command(
        "Compare commands: which is faster, by how much, and how sure that is.",
        "steelyard.cli.compare:command",
        topic="",
    ),
    "run": Command(
        "Run the experiment of a spec; continue it if it was stopped.",
        "steelyard.cli.run:command",
        linux_only=True,
        topic="",
    ),
    "status": Command(
        "Show the progress of a record, or of several.",
        "steelyard.cli.status:command",
        topic="runs and records",
    ),
    "analyze": Command(
        "Answer from a record: effects, intervals, verdicts.",
        "steelyard.cli.analyze:command",
        topic="runs and records",
    ),
    "merge": Command(
        "Answer from records of one spec on several machines: one verdict for all.",
        "steelyard.cli.merge:command",
        topic="runs and records",
    ),
    "check": Command(
        "Judge the claims of specs and records: what holds, fails, or is not resolved.",
        "steelyard.cli.check:command",
        topic="",
    ),
    "config": Command(
        "Print where steelyard.h is, for compilers, pkg-config and CMake.",
        "steelyard.cli.config:command",
        topic="other tools",
    ),
    "completion": Command(
        "Print the completion script for bash, zsh or fish.",
        "steelyard.cli.completion:command",
        topic="other tools",
    ),
}
"""Commands of the core; ``compare`` and ``check`` need Linux only where they run."""

FIRST_STEPS = """\
steelyard compare './old input' './new input'   which is faster, by how much, and how sure is that?
steelyard demo                                  how run times lie, shown on this machine in a minute
steelyard --help                                the other commands
"""
"""What ``steelyard`` says where nothing is asked."""


@click.group(
    cls=CommandGroup,
    core=CORE,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--all",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_all,
    help="With --help: describe every command.",
)
@click.version_option(__version__, prog_name="steelyard", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find out which program is faster, by how much, and whether you can trust it.

    Try it:  steelyard compare './old input' './new input'

    Exit codes: 0 done, 1 a claim fails, 2 usage error, 3 not resolved or not precise (--strict), 4 missing
    capability on this machine, 5 a program failed, 6 and 7 of gate, 130 interrupted (the record can be
    continued).
    """
    if ctx.invoked_subcommand is None:
        sys.stderr.write(FIRST_STEPS)
        ctx.exit(2)


def main() -> NoReturn:
    """Run the command line and exit; a user's mistake is an ``error:`` and a ``hint:``, never a traceback."""
    try:
        # A command makes many small objects, hardly any in cycles: looking for those every 700 takes 3 % of
        # it, and 6 ms each time once all modules are there.
        gc.set_threshold(200_000)
        open_streams(as_document=is_document())
        code = cli.main(prog_name="steelyard", standalone_mode=False)
        sys.stdout.flush()  # here, where a full disk is still an error
    except SteelyardError as error:
        code = tell(error)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = 2
    except click.UsageError as error:
        code = tell(usage_error(error))
    except click.ClickException as error:
        code = tell(UsageError(error.format_message()))
    except (click.exceptions.Abort, KeyboardInterrupt):
        sys.stderr.write("interrupted\n")
        code = 130
    except SystemExit as error:
        # Click ends with 1, and silently, where any pipe is closed. A reader who has left is no error here
        # (``streams``): it was another pipe.
        if isinstance(error.__context__, BrokenPipeError):
            raise error.__context__ from None
        code = error.code
    except OSError as error:
        code = _tell_of_file(error)
    # On its way out the interpreter looks for circles among all that is left, which the kernel frees faster.
    gc.freeze()
    sys.exit(code if isinstance(code, int) else 0)


def _tell_of_file(error: OSError) -> int:
    """Say which file or disk of the user is the reason, and return the exit code."""
    steelyard_error = file_error(error)
    if steelyard_error is None:
        raise error
    # Without a file, it was the standard output: a full disk behind a redirection, say.
    if error.filename is None:
        discard_output()
    return tell(steelyard_error)


early.end()
