"""Verdicts as JUnit XML, which build servers show: one test case a claim."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from steelyard.claims.verdict import Verdict
from steelyard.report.claims.text import claim_of, words

_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot express."""


def render(
    parts: Sequence[tuple[str, Sequence[Verdict]]], broken: Mapping[str, str] = {}, *, strict: bool
) -> str:
    """The suites, one an experiment; what is not resolved is skipped, under ``strict`` a failure.

    ``broken`` has what could not be judged, with the reason: an error of its own.
    """
    root = ET.Element("testsuites", name="steelyard check")
    for experiment, verdicts in parts:
        suite = ET.SubElement(root, "testsuite", name=_safe(experiment))
        counts = {"tests": len(verdicts), "failures": 0, "errors": 0, "skipped": 0}
        for verdict in verdicts:
            case = ET.SubElement(
                suite, "testcase", classname=_safe(experiment), name=_safe(claim_of(verdict))
            )
            said = _safe(words(verdict))
            if verdict.outcome == "fails" or (strict and verdict.outcome == "not_resolved"):
                counts["failures"] += 1
                ET.SubElement(case, "failure", type=verdict.outcome, message=said).text = said
            elif verdict.outcome == "not_resolved":
                counts["skipped"] += 1
                ET.SubElement(case, "skipped", message=said)
            else:
                ET.SubElement(case, "system-out").text = said
        for key, count in counts.items():
            suite.set(key, str(count))
    for name, reason in broken.items():
        one: dict[str, str] = {"tests": "1", "failures": "0", "errors": "1", "skipped": "0"}
        suite = ET.SubElement(root, "testsuite", {"name": _safe(name), **one})
        case = ET.SubElement(suite, "testcase", classname=_safe(name), name="could not be judged")
        ET.SubElement(case, "error", type="broken", message=_safe(reason)).text = _safe(reason)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _safe(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
