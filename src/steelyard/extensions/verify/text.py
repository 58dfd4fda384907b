"""Verified records as text: what each is, first."""

from __future__ import annotations

from steelyard.extensions.verify.results import Signature, Verification, Verified
from steelyard.report.text.label import join_names, plural, printable
from steelyard.report.text.line import Line, Style, render_paragraph
from steelyard.results.proof import ProofState

_STYLES: dict[ProofState, Style] = {"measured": "good", "unproven": "open"}


def lines(verification: Verification, width: int) -> list[Line]:
    """Return the records, line by line."""
    output: list[Line] = []
    for verified in verification.records:
        proof = verified.proof
        head = f"{printable(verified.record)} is {printable(proof.words)}"
        output += render_paragraph(head, width, rest="  ", style=_STYLES.get(proof.state, "bad"))
        for text in _list_facts(verified):
            output += render_paragraph(text, width, first="  ", rest="    ")
    return output


def _list_facts(verified: Verified) -> list[str]:
    proof = verified.proof
    facts = []
    if proof.head:
        facts.append(f"head {proof.head}, {plural(proof.blocks, 'block')}")
    if verified.versions:
        facts.append(f"measured by Steelyard {join_names([printable(name) for name in verified.versions])}")
    if signature := _format_signature(verified.signature):
        facts.append(signature)
    return facts


def _format_signature(signature: Signature) -> str:
    match signature.state:
        case "none":
            return "not signed"
        case "good":
            return f"signed by {printable(signature.signer)}"
        case "earlier":
            return f"signed by {printable(signature.signer)} before the last runs, which are not signed"
        case state:
            return f"its signature is {state}: {printable(signature.reason)}"
