"""A gate as workflow commands of GitHub Actions: one for each benchmark that is slower, gone or open."""

from __future__ import annotations

from steelyard.extensions.gate.results import Gate, Verdict
from steelyard.extensions.gate.words import describe_benchmark, explain_outlook, name_row, name_verdict
from steelyard.report.claims.github import annotate
from steelyard.report.text.undecided import write_undecided


def render(answer: Gate, *, strict: bool) -> str:
    """Errors, and warnings for what is open; under ``strict`` an error too."""
    kind = "error" if strict else "warning"
    out = ""
    if answer.is_undecided:
        out = annotate(kind, write_undecided(strict=strict), explain_outlook(answer) or "")
    verdicts: tuple[Verdict, ...] = (*answer.failing, "gone", "open", "waived")
    for verdict in verdicts:
        kind = "warning" if verdict == "waived" or (verdict == "open" and not strict) else "error"
        for entry in answer.select(verdict):
            out += annotate(
                kind,
                f"{name_row(answer, entry)} {name_verdict(answer, entry)}",
                describe_benchmark(answer, entry),
            )
    return out


def render_error(message: str, hint: str | None) -> str:
    """Return a gate that could judge nothing."""
    return annotate("error", "the change could not be judged", f"{message}; {hint}" if hint else message)
