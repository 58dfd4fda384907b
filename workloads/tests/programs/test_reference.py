"""``package/REFERENCE.md``: its signatures are those of the headers that users include."""

from __future__ import annotations

import re

import pytest
from programs import ROOT

WORKLOADS = ROOT / "workloads"
(BLOCK,) = re.findall(r"```cpp\n(.+?)```", (WORKLOADS / "package" / "REFERENCE.md").read_text(), re.DOTALL)


def words(text: str) -> str:
    """Declarations on one line each way that they are broken."""
    return re.sub(r"\s+", " ", text).strip()


def listed() -> dict[str, list[str]]:
    """The declarations that the reference has of each header."""
    parts: dict[str, list[str]] = {}
    for part in BLOCK.split("\n\n"):
        head, *lines = part.strip().splitlines()
        header = head.removeprefix("// ").partition(",")[0]
        parts.setdefault(header, []).extend(
            words(part) for part in "\n".join(lines).split(";") if words(part)
        )
    return parts


SIGNATURES = listed()


@pytest.mark.parametrize("header", SIGNATURES)
def test_every_signature_of_the_reference_is_in_its_header(header):
    declared = words(re.sub(r"///?[^\n]*", "", (WORKLOADS / header).read_text()))
    assert SIGNATURES[header]
    assert [declaration for declaration in SIGNATURES[header] if declaration not in declared] == []


def test_headers_of_the_reference_are_those_that_the_package_installs():
    included, remaining = set(), [*(WORKLOADS / "package" / "include" / "goodsyard").glob("*.hpp")]
    while remaining:
        for name in re.findall(r'#include "(.+?)"', remaining.pop().read_text()):
            if name not in included and (WORKLOADS / name).is_file():
                included.add(name)
                remaining.append(WORKLOADS / name)
    assert set(SIGNATURES) <= included
