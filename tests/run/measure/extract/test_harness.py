"""Metrics that a harness of benchmarks reports."""

from __future__ import annotations

import json

import pytest

from steelyard.run.measure.extract import MissingValueError
from steelyard.spec.experiment import UserMetric
from tests.run.measure.extract.conftest import Extraction, trial
