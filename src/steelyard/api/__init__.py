"""What programs and notebooks may rely on: laboratories, answers, records, errors.

Names that are not here, or in the modules beside this one, may change with any version. Each carries the
documentation of its own place.

Modules: ``claims`` (verdicts with their evidence), ``scaling`` (series, models, expectations), ``design``
(layouts, signs, interventions), ``observation`` (what probes cost), ``charts``, ``text`` and ``extensions``
(what packages add).
"""

from __future__ import annotations

from steelyard.core.errors import (
    InterruptedRunError,
    MachineError,
    ProgramError,
    RecordError,
    SteelyardError,
    UsageError,
)
from steelyard.core.sample import Sample, Treatment
from steelyard.extensions.exchange.recording import KeptBlock, LabelledValue, write_values
from steelyard.extensions.gate.gate import gate
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.history.history import HistoryRequest
from steelyard.extensions.history.results import History
from steelyard.extensions.page.report import Report, report
from steelyard.extensions.protocol_2014.results import ProgramTables, ProtocolAnswer
from steelyard.lab.answer.analyze import analyze, analyze_by_context
from steelyard.lab.answer.of_samples import estimate_ratio, find_median_interval
from steelyard.lab.run.run import run
from steelyard.lab.run.run_loop import Watch
from steelyard.laboratory import Laboratory, Result, compare, history, measure, model
from steelyard.results.analysis import Answer
from steelyard.results.comparison import Comparison, Speedup
from steelyard.results.contexts import ByContext, ContextFinding
from steelyard.results.interval import Interval
from steelyard.results.status import Progress
from steelyard.results.undefined import Undefined
from steelyard.spec import Experiment, experiment, load, loads
from steelyard.spec.experiment import Contexts
from steelyard.store import Record

__all__ = [
    "Answer",
    "ByContext",
    "Comparison",
    "ContextFinding",
    "Contexts",
    "Experiment",
    "GateRequest",
    "History",
    "HistoryRequest",
    "InterruptedRunError",
    "Interval",
    "KeptBlock",
    "LabelledValue",
    "Laboratory",
    "MachineError",
    "ProgramError",
    "ProgramTables",
    "Progress",
    "ProtocolAnswer",
    "Record",
    "RecordError",
    "Report",
    "Result",
    "Sample",
    "Speedup",
    "SteelyardError",
    "Treatment",
    "Undefined",
    "UsageError",
    "Watch",
    "analyze",
    "analyze_by_context",
    "compare",
    "estimate_ratio",
    "experiment",
    "find_median_interval",
    "gate",
    "history",
    "load",
    "loads",
    "measure",
    "model",
    "report",
    "run",
    "write_values",
]
