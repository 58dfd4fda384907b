"""Mistakes in a spec and what is said of each: ``refusals/TABLE.txt`` has a head, then cases that follow it.

``STEELYARD_REFRESH_GOLDEN=1`` writes the files anew; the difference is then to be read, not believed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from steelyard.core.errors import SpecError
from steelyard.spec import loads

FILES = sorted((Path(__file__).parent / "refusals").glob("*.txt"))


def cases(path):
    """The head of a file, and its cases: the lines of a spec and what they are answered."""
    head, *rest = path.read_text().split("%%\n")
    return head, [tuple(case.split("=>\n")) for case in rest]


def answer(text):
    with pytest.raises(SpecError) as caught:
        loads(text, source="/lab", name="spec.toml")
    return f"{caught.value.message}\nhint: {caught.value.hint}\n"


def needed(lines, told):
    """The mark of a case that names the protocol of an extension, or all kinds of claims."""
    names = ["protocol_2014"] if '"nogueira-matias-2014"' in lines else []
    names += ["efficiency", "growth", "observe"] if "unperturbed" in told else []
    return [pytest.mark.extensions(*names)] * bool(names)


if os.environ.get("STEELYARD_REFRESH_GOLDEN"):
    for each in FILES:
        start, known = cases(each)
        each.write_text("%%\n".join([start, *(f"{lines}=>\n{answer(start + lines)}" for lines, _ in known)]))


@pytest.mark.parametrize(
    ("head", "lines", "told"),
    [
        pytest.param(
            *(head, lines, told),
            id=f"{path.stem}: {' '.join(lines.split())[:60]}",
            marks=needed(lines, told),
        )
        for path in FILES
        for head, result in [cases(path)]
        for lines, told in result
    ],
)
def test_a_mistake_is_told_with_file_line_key_value_and_cure(head, lines, told):
    text = answer(head + lines)
    assert text == told
    message, hint = text.splitlines()
    assert message.startswith("spec.toml:")
    assert not message.endswith(".")
    assert hint.removeprefix("hint: ")
    assert (message + hint).isprintable()
