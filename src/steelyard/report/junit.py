"""JUnit XML, which build servers show: suites of cases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal
from xml.etree import ElementTree as ET

import msgspec

_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot express."""

Ending = Literal["passed", "failed", "skipped", "broken"]
_COUNTED: Final[dict[Ending, str]] = {"failed": "failures", "broken": "errors", "skipped": "skipped"}


class Case(msgspec.Struct, frozen=True):
    """One that was judged: how it ended, in a word of its own kind, and in a sentence."""

    name: str
    ending: Ending
    kind: str
    message: str


class JunitSuite(msgspec.Struct, frozen=True):
    """Cases of one experiment."""

    name: str
    cases: Sequence[Case]


def render(title: str, suites: Sequence[JunitSuite]) -> str:
    """Return the document."""
    root = ET.Element("testsuites", name=title)
    for junit_suite in suites:
        tally = Counter(case.ending for case in junit_suite.cases)
        counts = {key: str(tally[ending]) for ending, key in _COUNTED.items()}
        attributes = {"name": _format_safe(junit_suite.name), "tests": str(len(junit_suite.cases)), **counts}
        suite = ET.SubElement(root, "testsuite", attributes)
        for case in junit_suite.cases:
            _add(suite, junit_suite.name, case)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _add(suite: ET.Element, class_name: str, case: Case) -> None:
    element = ET.SubElement(
        suite, "testcase", classname=_format_safe(class_name), name=_format_safe(case.name)
    )
    text = _format_safe(case.message)
    if case.ending == "skipped":
        ET.SubElement(element, "skipped", message=text)
    elif case.ending == "passed":
        ET.SubElement(element, "system-out").text = text
    else:
        tag = "failure" if case.ending == "failed" else "error"
        ET.SubElement(element, tag, type=case.kind, message=text).text = text


def _format_safe(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
