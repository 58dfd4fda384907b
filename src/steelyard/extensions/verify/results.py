"""What was found of records that were verified.

The document is ``steelyard/verification``. History: version 1, the first.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from steelyard.results.document import Format
from steelyard.results.proof import Proof

SignatureState = Literal["none", "unchecked", "good", "earlier", "bad"]


class Signature(msgspec.Struct, frozen=True):
    """The signature beside a record.

    Attributes
    ----------
    state : {"none", "unchecked", "good", "earlier", "bad"}
        ``earlier``: good, and of a head that the record has grown beyond. ``unchecked``: nobody said who may
        sign, or ssh-keygen is missing.
    signer : str
        Who signed it, by the file of signers.
    reason : str
        Why it is bad or unchecked.
    """

    state: SignatureState = "none"
    signer: str = ""
    reason: str = ""


class Verified(msgspec.Struct, frozen=True):
    """A record that was verified.

    Attributes
    ----------
    record : str
        As it was named.
    id : str
        Of the record.
    proof : Proof
    signature : Signature
    versions : tuple of str
        Of Steelyard, which measured it; in the order of first use.
    """

    record: str
    id: str
    proof: Proof
    signature: Signature
    versions: tuple[str, ...]


class Verification(msgspec.Struct, frozen=True):
    """Records that were verified.

    Attributes
    ----------
    records : tuple of Verified
        As they were named.
    is_signature_wanted : bool
        Whether a record without a good signature is not good enough.
    """

    records: tuple[Verified, ...]
    is_signature_wanted: bool = False

    @property
    def exit_code(self) -> int:
        """Exit code: 1 where a record or a signature is refuted, 3 where one is unproven or unsigned."""
        if any(entry.proof.refuted or entry.signature.state == "bad" for entry in self.records):
            return 1
        unsigned = self.is_signature_wanted and any(entry.signature.state != "good" for entry in self.records)
        unproven = any(entry.proof.state == "unproven" for entry in self.records)
        return 3 if unproven or unsigned else 0


VERIFICATION: Final = Format("steelyard/verification", 1, Verification)
