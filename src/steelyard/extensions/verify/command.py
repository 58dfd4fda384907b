"""``steelyard verify``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import click

from steelyard.cli import completion
from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import json_option
from steelyard.cli.paths import InputPath, InputPlace
from steelyard.cli.terminal import show
from steelyard.core.errors import UsageError

_HEAD: Final = re.compile(r"[1-9]\d*-[0-9a-f]{40}")


class VerifyOptions(Options):
    """Options of ``steelyard verify``."""

    records: tuple[Path | str, ...] = declare_argument(
        "RECORD|PLACE...", type=InputPlace(), nargs=-1, required=True, complete=completion.records
    )
    noted: str | None = declare(
        "Head that was noted earlier: of a page, an archive, JSON or this command.",
        "--head",
        "noted",
        metavar="HEAD",
    )
    key: Path | None = declare(
        "Sign what is as measured with this key of ssh-keygen.",
        "--sign",
        "key",
        metavar="KEY",
        type=InputPath(),
    )
    signers: Path | None = declare(
        "Ask for a signature by somebody in this file (ALLOWED SIGNERS of ssh-keygen).",
        metavar="FILE",
        type=InputPath(),
    )
    as_json: bool = json_option


@click.command(short_help="Verify that records are as they were measured.")
@take(VerifyOptions)
@click.pass_context
def command(ctx: click.Context, options: VerifyOptions) -> None:
    """Verify that each RECORD (a directory NAME.lab, or an archive NAME.zip) is as it was measured.

    Of a PLACE that export --to wrote, each record is compared with the digests taken then.

    It is as measured, edited (in which block), shortened, or forked (at which block); unproven if an older
    Steelyard made it. Copies of one record are also compared with each other. Only --head and
    --signers find a record whose digests somebody computed anew.

    Exits with 1 if a record is edited, shortened or forked or a signature is bad, with 3 if one is unproven
    or, under --signers, not signed to its end.

    \b
    steelyard verify o2.lab
    steelyard verify --sign ~/.ssh/id_ed25519 o2.lab
    steelyard verify --signers signers.txt o2.lab
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    if options.noted is not None:
        if not _HEAD.fullmatch(options.noted):
            raise UsageError(
                f"{options.noted!r} is not a head", hint="it is a number, a hyphen and 40 hexadecimal digits"
            )
        if len(options.records) > 1:
            raise UsageError("--head is of one record", hint="verify each record with its own head")
    from steelyard.extensions.verify.results import VERIFICATION
    from steelyard.extensions.verify.text import lines
    from steelyard.extensions.verify.verifying import verify

    verification = verify(
        options.records, noted=options.noted or "", signers=options.signers, key=options.key
    )
    show(
        lambda: VERIFICATION.text(verification),
        lambda width: lines(verification, width),
        as_json=options.as_json,
    )
    ctx.exit(verification.exit_code)
