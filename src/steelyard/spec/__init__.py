"""The question: what to run, which factors to vary, and how; checked here and nowhere else."""

from __future__ import annotations

from steelyard.spec.dumping import dumps
from steelyard.spec.experiment import Experiment
from steelyard.spec.loading import claims_of, experiment, load, loads, read_spec
from steelyard.spec.schema import schema

__all__ = ["Experiment", "claims_of", "dumps", "experiment", "load", "loads", "read_spec", "schema"]
