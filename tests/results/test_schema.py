"""Every document: its schema names each line that it has, so that a line which leads nowhere fails here."""

from __future__ import annotations

import json

import pytest

from steelyard.extensions.audit.results import AUDIT
from steelyard.extensions.bisect.results import BISECTION
from steelyard.extensions.doctor.results import DOCTOR, HostReport
from steelyard.extensions.growth.document import MODELS
from steelyard.extensions.history.results import HISTORY
from steelyard.extensions.null.results import NULL, NullResult, Tally
from steelyard.extensions.observe.results import OBSERVATION
from steelyard.extensions.plan.results import PLAN
from steelyard.report.answer.document import COMPARISON
from steelyard.results.contexts import BY_CONTEXT
from steelyard.results.schema import schema
from steelyard.results.status import STATUS

pytestmark = pytest.mark.extensions(
    "audit", "bisect", "doctor", "growth", "history", "null", "observe", "plan"
)

NOT_UTF8 = "./\udcff"


@pytest.mark.parametrize(
    "document",
    [AUDIT, BISECTION, BY_CONTEXT, COMPARISON, DOCTOR, HISTORY, MODELS, NULL, OBSERVATION, PLAN, STATUS],
)
def test_every_document_has_a_schema_with_its_format_and_version(document):
    result = schema(document)
    fields = result["$defs"][document.content.__name__]["properties"]
    assert fields["format"] == {"enum": [document.name]}
    assert fields["version"] == {"enum": [document.version]}
    assert len(fields) > 3
    json.dumps(result)


def test_a_command_that_is_not_utf8_is_written_as_an_escape():
    tallies = tuple(Tally(way, 0, 0, None, None, None) for way in ("blocks", "sequential"))
    result = NullResult("itself", NOT_UTF8, 20, 1, 0.05, 100, tallies, interrupted=True)
    assert json.loads(NULL.text(result))["command"] == r"./\udcff"


def test_a_fact_of_the_machine_that_is_not_utf8_is_written_as_an_escape():
    document = json.loads(DOCTOR.text(HostReport({"hostname": NOT_UTF8}, (), able=True)))
    assert document["facts"] == {"hostname": r"./\udcff"}
