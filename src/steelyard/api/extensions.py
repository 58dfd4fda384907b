"""What packages add to Steelyard: commands, claims, readers, places, and sections of the page."""

from __future__ import annotations

from steelyard.claims.draft import Draft, Undecided
from steelyard.claims.evidence import Evidence
from steelyard.claims.observed import Observed
from steelyard.core.extension import (
    ClaimKind,
    Command,
    CompareMode,
    DataJudge,
    Extension,
    Predictor,
    Protocol,
)
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries
from steelyard.lab.answer.series_of_file import SeriesReader
from steelyard.lab.places.contents import Exported, Summaries, Summary
from steelyard.lab.places.place import Place
from steelyard.report.page.answer_page import AnswerPage
from steelyard.report.page.chart import Chart, Section
from steelyard.report.text.table import Column
from steelyard.results.protocol import ProtocolResult
from steelyard.run.measure.extract.harness import HarnessReport
from steelyard.spec.claims.claim import Claim

__all__ = [
    "AnswerPage",
    "Chart",
    "Claim",
    "ClaimKind",
    "Column",
    "Command",
    "CompareMode",
    "DataJudge",
    "Draft",
    "Evidence",
    "Exported",
    "Extension",
    "FileContents",
    "HarnessReport",
    "ImportedSeries",
    "Observed",
    "Place",
    "Predictor",
    "Protocol",
    "ProtocolResult",
    "Section",
    "SeriesReader",
    "Summaries",
    "Summary",
    "Undecided",
]
