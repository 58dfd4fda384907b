"""Reports of harnesses, and output in formats of extensions, are read by what an extension has for them."""

from __future__ import annotations

import sys

import pytest

from steelyard.core import extension
from steelyard.core.errors import MachineError
from steelyard.core.extension import find_extensions
from steelyard.lab.run.reports import read_reports, refuse_unread
from steelyard.spec.experiment import Experiment, Program, UserMetric

PGBENCH = """\
transaction type: <builtin: select only>
scaling factor: 10
number of clients: 4
number of threads: 1
latency average = 0.120 ms
tps = 33333.5 (without initial connection time)
"""


@pytest.fixture
def core_alone(monkeypatch):
    """No extension is installed."""
    monkeypatch.setitem(sys.modules, extension.GROUP, None)
    find_extensions.cache_clear()
    yield
    find_extensions.cache_clear()


def make_experiment(*sources: str) -> Experiment:
    metrics = tuple(UserMetric(f"m{i}", source=source) for i, source in enumerate(sources))
    return Experiment("made up", "/nowhere", Program(commands={"": ("/bin/true",)}), metrics=metrics)


@pytest.mark.extensions("exchange", "outputs")
def test_the_output_of_a_benchmark_that_an_extension_declares_is_a_report():
    refuse_unread(make_experiment("pgbench", "lines", "stdout", "skampi"))
    (tps,) = [report for report in read_reports(PGBENCH, "it", "pgbench") if report.unit == "1/s"]
    assert tps.values == (33333.5,)


@pytest.mark.parametrize("source", ["pgbench", "criterion"])
def test_a_source_that_no_extension_reads_is_refused_before_anything_runs(core_alone, source):
    refuse_unread(make_experiment("lines", "stdout", "cachegrind"))
    with pytest.raises(MachineError, match=f"no installed extension reads what {source} reports"):
        refuse_unread(make_experiment(source))
