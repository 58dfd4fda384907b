"""Records and archives, verified by themselves and against each other."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import RecordError, UsageError
from steelyard.extensions.lake.place import LAKE
from steelyard.extensions.verify.lakes import verify_lake
from steelyard.extensions.verify.results import Signature, Verification, Verified
from steelyard.extensions.verify.signature import NAME as SIGNATURE
from steelyard.extensions.verify.signature import check_signature, sign
from steelyard.lab.run.existing_record import find_record
from steelyard.results.proof import Proof
from steelyard.store import Record
from steelyard.store.chain import Link, find_fork, format_head
from steelyard.store.digests import NAME as DIGESTS
from steelyard.store.facts import FILE, SUMMARY
from steelyard.store.seal import read_sealed_head

_IN_ARCHIVE: Final = "record.lab"
_MEMBERS: Final = (FILE, DIGESTS, SUMMARY, SIGNATURE)
"""Files of a record that say whether it is as measured."""
_LARGEST_BYTES: Final = 1 << 34
"""Of a file in an archive, unpacked."""


class _Read(msgspec.Struct, frozen=True):
    verified: Verified
    links: list[Link]


def verify(
    names: Sequence[Path | str], *, noted: str = "", signers: Path | None = None, key: Path | None = None
) -> Verification:
    """Verify records, archives and lakes of them; copies of one record also against each other.

    Parameters
    ----------
    noted : str
        A head that was noted earlier, of the only record.
    signers : Path, optional
        Who may sign.
    key : Path, optional
        To sign those that are as measured with.

    Raises
    ------
    UsageError
        A name is no record and no archive.
    RecordError
        One is damaged; or it is to be signed and is not as measured.
    """
    reads: list[_Read] = []
    for name in names:
        if LAKE.holds(name):
            _refuse_chain_options(name, noted, signers, key)
            reads += [_Read(verified, []) for verified in verify_lake(name)]
            continue
        with _open_place(Path(name)) as directory:
            reads.append(_verify_one(Path(name), directory, noted, signers, key))
    return Verification(tuple(_compare_copies(reads)), is_signature_wanted=signers is not None)


def _refuse_chain_options(name: Path | str, noted: str, signers: Path | None, key: Path | None) -> None:
    """Refuse what is about the chain of a record, which a lake does not have.

    Raises
    ------
    UsageError
    """
    options = {"--head": noted, "--signers": signers, "--sign": key}
    if refused := next((option for option, value in options.items() if value), None):
        raise UsageError(
            f"{refused} is about a chain of digests, and {name} is a lake, which has none",
            hint="verify the record that was exported there",
        )


@contextmanager
def _open_place(name: Path) -> Iterator[Path]:
    """Give the directory of a record, which for one in an archive is temporary."""
    if name.suffix != ".zip":
        yield find_record(name)
        return
    with tempfile.TemporaryDirectory(prefix="steelyard-") as place:
        directory = Path(place) / _IN_ARCHIVE
        directory.mkdir()
        try:
            with zipfile.ZipFile(name) as archive:
                _unpack(archive, directory, name)
        except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
            raise UsageError(
                f"{name} cannot be read as an archive: {error}",
                hint="name a file that steelyard report --archive wrote",
            ) from error
        yield directory


def _unpack(archive: zipfile.ZipFile, directory: Path, name: Path) -> None:
    """Unpack the files of the record under names of ours: those in an archive could lead anywhere."""
    for entry in archive.infolist():
        _, _, inside = entry.filename.partition("/")
        parent, _, base = inside.rpartition("/")
        if parent != _IN_ARCHIVE or base not in _MEMBERS:
            continue
        if entry.file_size > _LARGEST_BYTES:
            raise UsageError(
                f"{name}: {base} unpacks to {entry.file_size:,} bytes", hint="it is not a record"
            )
        with archive.open(entry) as packed, (directory / base).open("wb") as unpacked:
            shutil.copyfileobj(packed, unpacked)
    if not (directory / FILE).exists():
        raise UsageError(
            f"{name} has no record in it", hint="name a file that steelyard report --archive wrote"
        )


def _verify_one(name: Path, directory: Path, noted: str, signers: Path | None, key: Path | None) -> _Read:
    sealed = read_sealed_head(directory / FILE)
    with Record.open(directory) as record, record.snapshot():
        links = record.links()
        proof = record.prove(noted)
        if proof.state == "measured" and sealed:
            proof = _compare_sealed(record.prove(sealed), proof)
        if key is not None:
            _sign(name, directory, record, proof, key)
        heads = {format_head(number, digest) for number, _, _, digest in links}
        signature = (
            check_signature(directory, record.id, heads, proof.head, signers) if links else Signature()
        )
        verified = Verified(str(name), record.id, proof, signature, record.list_versions())
    return _Read(verified, links)


def _compare_sealed(by_seal: Proof, proof: Proof) -> Proof:
    """Return what the seal beside a record says of its end, where the chain alone says nothing."""
    return by_seal if by_seal.refuted else proof


def _sign(name: Path, directory: Path, record: Record, proof: Proof, key: Path) -> None:
    if name.suffix == ".zip":
        raise UsageError(f"{name} is an archive", hint="sign the record, and archive it then")
    if proof.state != "measured":
        raise RecordError(
            f"{name} is {proof.words}: only a record that is as measured is signed",
            hint=f"steelyard verify {name}",
        )
    sign(directory, record.id, proof.head, key)


def _compare_copies(reads: Sequence[_Read]) -> Iterator[Verified]:
    """Yield the records, those that went on otherwise than an earlier copy as forked."""
    first: dict[str, _Read] = {}
    for read in reads:
        verified = read.verified
        earlier = first.setdefault(verified.id, read)
        fork = find_fork(earlier.links, read.links)
        if fork and not verified.proof.refuted:
            reason = f"from there on it and {earlier.verified.record} went on apart"
            proof = replace(verified.proof, state="forked", place=fork, reason=reason)
            verified = replace(verified, proof=proof)
        yield verified
