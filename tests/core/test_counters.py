from __future__ import annotations

import msgspec

from steelyard.core.counters import EVENTS, FORMER_NAMES, find_event
from steelyard.spec import experiment
from steelyard.spec.check.program import COUNTERS
from steelyard.spec.hints.metric_names import suggest_metric
from steelyard.spec.stored import decode
from steelyard.store.rows import metrics_of


def test_a_former_name_counts_in_old_records_as_the_one_of_today():
    for former, today in FORMER_NAMES.items():
        assert former not in EVENTS
        assert find_event(former) == find_event(today)


def test_a_record_with_a_former_name_has_its_metric_as_it_was_measured():
    spec = experiment(program={"command": ["true"], "counters": ["energy_uncore_j"]})
    old = msgspec.json.encode(spec).replace(b"energy_uncore_j", b"energy_gpu_j")
    (metric,) = metrics_of(decode(old))
    assert (metric.name, metric.unit, metric.kind) == ("energy_gpu_j", "J", "counter")


def test_a_question_for_a_former_name_is_answered_with_the_one_of_today():
    assert suggest_metric("energy_gpu_j", COUNTERS) == "did you mean energy_uncore_j?"
