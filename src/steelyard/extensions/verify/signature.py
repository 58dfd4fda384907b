"""A signature beside a record, made and checked by ssh-keygen (OpenSSH 8.2 or later)."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import MachineError, RecordError, UsageError
from steelyard.extensions.verify.results import Signature
from steelyard.files.plain import NotPlainError, read_plain, write_plain

NAME: Final = "record.signature"
"""Beside the file of a record."""

NAMESPACE: Final = "steelyard"
"""What ssh-keygen binds a signature to, so that one made for another purpose does not count."""

FORMAT: Final = "steelyard/signature"
VERSION: Final = 1
_LARGEST_BYTES: Final = 1 << 16
_PROGRAM: Final = "ssh-keygen"


class _SignatureFile(msgspec.Struct, frozen=True):
    """The file: the head that was signed, and what ssh-keygen wrote."""

    format: str
    version: int
    head: str
    signature: str


def sign(directory: Path, record: str, head: str, key: Path) -> None:
    """Sign the head of a record with a private key, or a public one whose agent has the other.

    Raises
    ------
    MachineError
        ssh-keygen is missing.
    UsageError
        It cannot sign with this key.
    RecordError
        The signature cannot be written.
    """
    program = shutil.which(_PROGRAM)
    if program is None:
        raise MachineError(
            "records are signed by ssh-keygen, which is not installed", hint="install OpenSSH (8.2 or later)"
        )
    done = subprocess.run(
        [program, "-Y", "sign", "-f", str(key), "-n", NAMESPACE],
        input=_write_message(record, head),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        messages = done.stderr.decode(errors="replace").strip().splitlines()
        raise UsageError(
            f"ssh-keygen does not sign with {key}: {messages[-1] if messages else 'it does not say why'}",
            hint="make a key: ssh-keygen -t ed25519 -f KEY",
        )
    content = msgspec.json.encode(_SignatureFile(FORMAT, VERSION, head, done.stdout.decode()))
    try:
        write_plain(directory / NAME, content + b"\n")
    except (OSError, NotPlainError) as error:
        raise RecordError(
            f"{directory / NAME} cannot be written: {error}", hint=f"make {directory} writable"
        ) from error


def check_signature(
    directory: Path, record: str, heads: Collection[str], head: str, signers: Path | None
) -> Signature:
    """Check the signature beside a record.

    Parameters
    ----------
    heads : collection of str
        All links of its chain.
    head : str
        The last of them.
    signers : Path, optional
        Who may sign, as ssh-keygen reads it (``ALLOWED SIGNERS``).
    """
    file = _read_file(directory / NAME)
    if isinstance(file, Signature):
        return file
    if file.head not in heads:
        return Signature("bad", reason="it is of another course of the record")
    program = shutil.which(_PROGRAM)
    if signers is None or program is None:
        reason = "ssh-keygen is not installed" if signers else "--signers FILE says who may sign"
        return Signature("unchecked", reason=reason)
    signer = _find_signer(program, file, record, signers)
    if isinstance(signer, Signature):
        return signer
    return Signature("good" if file.head == head else "earlier", signer)


def _read_file(place: Path) -> _SignatureFile | Signature:
    """Read the file of a signature; what is wrong with it is a signature that is none, or bad."""
    try:
        content = read_plain(place, largest=_LARGEST_BYTES, may_have_names=True)
        if content is None:
            return Signature("none")
        file = msgspec.json.decode(content, type=_SignatureFile)
    except (OSError, NotPlainError, ValueError, RecursionError) as error:
        return Signature("bad", reason=f"{NAME} cannot be read: {error}")
    if (file.format, file.version) != (FORMAT, VERSION):
        return Signature("bad", reason=f"{NAME} is not of this format")
    return file


def _find_signer(program: str, file: _SignatureFile, record: str, signers: Path) -> str | Signature:
    with tempfile.TemporaryDirectory(prefix="steelyard-") as directory:
        opened = Path(directory) / "signature"
        opened.write_text(file.signature, encoding="utf-8")
        place = ["-s", str(opened), "-f", str(signers)]
        named = subprocess.run(
            [program, "-Y", "find-principals", *place], capture_output=True, text=True, check=False
        )
        names = named.stdout.splitlines()
        if named.returncode or not names:
            return Signature("bad", reason=f"nobody in {signers} signed it")
        for name in names:
            verified = subprocess.run(
                [program, "-Y", "verify", *place, "-I", name, "-n", NAMESPACE],
                input=_write_message(record, file.head),
                capture_output=True,
                check=False,
            )
            if verified.returncode == 0:
                return name
    return Signature("bad", reason="it is not a signature of this record")


def _write_message(record: str, head: str) -> bytes:
    return f"steelyard record {record} head {head}\n".encode()
