"""What every JSON document has in common."""

from __future__ import annotations

import json

from steelyard.report import doctor, null
from steelyard.stats.null import NullResult, Tally

NO_UTF8 = "./\udcff"


def test_a_calibrated_command_that_is_no_utf8_is_written_as_an_escape():
    tallies = (Tally("blocks"), Tally("sequential"))
    result = NullResult("itself", NO_UTF8, 20, 1, 0.05, 100, tallies, interrupted=True)
    assert json.loads(null.render_json(result))["command"] == r"./\udcff"


def test_a_fact_of_the_machine_that_is_no_utf8_is_written_as_an_escape():
    document = json.loads(doctor.render_json((), {"hostname": NO_UTF8}, able=True))
    assert document["facts"] == {"hostname": r"./\udcff"}
