"""The command line: one file a command, loaded when it is called."""

from __future__ import annotations

from steelyard.cli import early

# isort: split
import gc
import os
import sys
from pathlib import Path
from typing import NoReturn

import click

from steelyard import __version__
from steelyard.cli.group import CommandGroup
from steelyard.errors import SteelyardError
from steelyard.run.runner.native import require_linux

COMMANDS = {
    "compare": "Compare commands: which is faster, by how much, how surely.",
    "run": "Run the experiment of a spec; continue it if it was stopped.",
    "plan": "Show what a spec would run, how long, and what it cannot separate.",
    "status": "Show how far a record is.",
    "analyze": "Answer from a record: effects, intervals, verdicts.",
    "check": "Judge the claims of specs and records: what holds, what fails, what is open.",
    "audit": "Find which contexts move a program's time on this machine.",
    "observe": "Find what a probe costs the program that it observes.",
    "model": "Model how metrics grow with a parameter, and hold them to expectations.",
    "export": "Write a record as CSV, JSON Lines or Parquet, or for Extra-P.",
    "recover": "Copy what can be read of a damaged record into a new one.",
    "doctor": "Show what can be observed and controlled here, and what improves it.",
    "demo": "Show in about a minute how run times lie.",
    "completion": "Print the completion script for bash, zsh or fish.",
}
"""Command to the line that ``steelyard --help`` shows, so that help imports no command. A test compares
them."""


@click.group(
    cls=CommandGroup,
    commands_help=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="steelyard", message="%(prog)s %(version)s")
def cli() -> None:
    """A laboratory for performance experiments.

    Try it:  steelyard compare './old input' './new input'

    Exit codes: 0 done, 1 a claim fails, 2 usage, 3 not resolved or not precise (--strict), 4 this machine
    cannot, 5 a program failed, 130 interrupted (the record can be continued).
    """


def main() -> NoReturn:
    """Run the command line and exit; a user's mistake is an ``error:`` and a ``hint:``, never a traceback."""
    try:
        # A command makes many small objects, hardly any in circles: looking for those every 700 takes 3 % of
        # it, and 6 ms each time once all modules are there.
        gc.set_threshold(200_000)
        _prepare_streams()
        require_linux()
        code = cli.main(prog_name="steelyard", standalone_mode=False)
    except SteelyardError as error:
        code = _tell(error.message, error.hint, error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = 2
    except click.UsageError as error:
        where = (
            f"steelyard {error.ctx.info_name}"
            if error.ctx and error.ctx.info_name != "steelyard"
            else "steelyard"
        )
        code = _tell(error.format_message().rstrip(".").replace("\n", " "), f"{where} --help", 2)
    except click.ClickException as error:
        code = _tell(error.format_message(), None, 2)
    except (click.exceptions.Abort, KeyboardInterrupt):
        sys.stderr.write("interrupted\n")
        code = 130
    except (BrokenPipeError, SystemExit):
        # The reader (``| head``) has what it wanted; click ends with SystemExit then, and for nothing else.
        # The interpreter must not complain at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        if error.filename is not None:
            raise
        # No file is named, so it was the standard output: a full disk behind a redirection, say.
        code = _tell(
            f"the output cannot be written: {error.strerror}", "make room, or write to another place", 2
        )
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # On its way out the interpreter looks for circles among all that is left, which the kernel frees faster.
    gc.freeze()
    sys.exit(code if isinstance(code, int) else 0)


def _prepare_streams() -> None:
    """Let signs that an output's encoding lacks become others, and what is closed take nothing."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 -- to the end
        elif hasattr(stream, "reconfigure") and stream.encoding.lower() not in ("utf-8", "utf8"):
            stream.reconfigure(errors="replace")


def _tell(message: str, hint: str | None, code: int) -> int:
    sys.stderr.write(f"error: {message}\n" + (f"\nhint: {hint}\n" if hint else ""))
    return code


early.end()
