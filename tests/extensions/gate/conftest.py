"""Scratch repositories whose commits are suites of benchmarks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from scratch_repository import Suites

from steelyard.extensions.gate import gate as module
from steelyard.extensions.gate.plan import Plan
from steelyard.extensions.gate.trials import Measured

sys.path.insert(0, str(Path(__file__).parent))

PROCESS_S = 0.1


@pytest.fixture
def suites(tmp_path: Path) -> Suites:
    return Suites(tmp_path / "repository")


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each process take ``PROCESS_S``, whatever the load, so that a budget ends at a known block."""

    def measure(*words: Any) -> Measured:
        measured: Measured = measure_blocks(*words)
        return replace(measured, seconds=2 * PROCESS_S * measured.processes, block_s=2 * PROCESS_S)

    def make_plan(*words: Any) -> Plan:
        plan: Plan = plan_suite(*words)
        programs = [
            replace(
                program,
                probes={side: replace(item, seconds=PROCESS_S) for side, item in program.probes.items()},
            )
            for program in plan.programs
        ]
        return replace(plan, programs=tuple(programs))

    measure_blocks, plan_suite = vars(module)["measure"], vars(module)["make_plan"]
    monkeypatch.setattr(module, "measure", measure)
    monkeypatch.setattr(module, "make_plan", make_plan)
