"""Modules of a record: code that its programs loaded, which has to be the same when the record goes on."""

from __future__ import annotations

from steelyard.core.errors import ProgramError, RecordError
from steelyard.lab.run.existing_record import move_path
from steelyard.run.launch.provenance import ProgramIdentity, module_identity
from steelyard.store import Record


def identify_modules(record: Record, source: str) -> list[ProgramIdentity]:
    """Return the modules that the record has measured, as they are now.

    Parameters
    ----------
    source : str
        Directory of the spec now.

    Raises
    ------
    RecordError
        One was replaced or is gone.
    """
    identities = []
    for recorded, facts in record.program.items():
        if not facts.get("mapped"):
            continue
        path = move_path(recorded, record.experiment.source, source)
        try:
            identity = module_identity(path, facts.get("library_of", ()))
        except ProgramError:
            identity = None
        if identity is None or identity.sha256 != facts["sha256"]:
            kind = "module" if facts.get("library_of") else "program"
            problem = f"is gone, a {kind}" if identity is None else f"is not the {kind}"
            raise RecordError(
                f"{path} {problem} that {record.directory} has measured so far",
                hint=f"put the old {kind} back, or measure into a new record: --output NAME.lab",
            )
        identities.append(identity)
    return identities
