"""What packages add to Steelyard: extensions, with commands, claims, readers and sections of the page."""

from __future__ import annotations

from steelyard.claims.draft import Draft, Undecided
from steelyard.claims.evidence import Evidence
from steelyard.claims.observed import Observed
from steelyard.core.extension import ClaimKind, Command, DataJudge, Extension, Predictor, Protocol
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries
from steelyard.report.page.answer_page import AnswerPage
from steelyard.report.page.chart import Chart, Section
from steelyard.results.protocol import ProtocolResult
from steelyard.spec.claims.claim import Claim

__all__ = [
    "AnswerPage",
    "Chart",
    "Claim",
    "ClaimKind",
    "Command",
    "DataJudge",
    "Draft",
    "Evidence",
    "Extension",
    "FileContents",
    "ImportedSeries",
    "Observed",
    "Predictor",
    "Protocol",
    "ProtocolResult",
    "Section",
    "Undecided",
]
