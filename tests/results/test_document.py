"""The encoder: what each rule makes of an answer, and that its schema tells the same."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Mapping
from typing import ClassVar

import msgspec
import pytest

from steelyard import results
from steelyard.core.sample import Treatment
from steelyard.core.units import Metric
from steelyard.results.document import Format, Lines, part
from steelyard.results.interval import Interval
from steelyard.results.schema import document_type, schema
from steelyard.results.undefined import Undefined

WALL = Metric("wall_s", "s")


class Inner(msgspec.Struct, frozen=True):
    """An estimate."""

    se: float

    def interval(self, alpha: float = 0.05) -> Interval:
        """Two-sided."""
        return Interval(1 - alpha, 1 + alpha)


class Outer(msgspec.Struct, frozen=True):
    """A result."""

    metric: Metric
    treatment: Treatment
    estimate: Inner | Undefined
    counts: Mapping[str, int]
    ci95: Interval | None = None
    inner: Inner | None = None
    __lines__: ClassVar[Lines] = (
        "metric",
        "unit=metric.unit",
        part("treatment", "id", "label", base="treatment"),
        "se_log=estimate.se",
        "undefined=estimate.undefined",
        "ci95",
        "bounds=inner.interval",
        part("inner", "se", base="inner"),
        "counts",
    )


class Renamed(msgspec.Struct, frozen=True):
    """Lines by annotation alone."""

    kind: str = msgspec.field(name="type")
    all: tuple[Outer, ...] = ()


FORMAT = Format("steelyard/test", 3, Renamed, extra={"claims": tuple[str, ...]})
TREATMENT = Treatment(7, "new", {"opt": 2})
KNOWN = Outer(WALL, TREATMENT, Inner(0.5), {"a": 1}, Interval(0.5, 2.0), Inner(float("nan")))
OPEN = Outer(WALL, TREATMENT, Undefined("one_block"), {})


def test_rules_turn_intervals_metrics_treatments_and_reasons_into_plain_values():
    first, second = FORMAT.document(Renamed("A", (KNOWN, OPEN)))["all"]
    assert first["metric"] == "wall_s"
    assert first["unit"] == "s"
    assert first["treatment"] == {"id": 7, "label": "new"}
    assert (first["se_log"], first["undefined"]) == (0.5, None)
    assert first["ci95"] == [0.5, 2.0]
    assert first["bounds"] == [0.95, 1.05]
    assert (second["se_log"], second["undefined"]) == (None, "there is only one complete block")
    assert second["inner"] is second["ci95"] is second["bounds"] is None


def test_fields_stand_in_the_order_of_the_struct_below_format_and_version():
    document = json.loads(FORMAT.text(Renamed("A")))
    assert list(document.items()) == [
        ("format", "steelyard/test"), ("version", 3), ("type", "A"), ("all", []),
    ]  # fmt: skip
    assert FORMAT.document(Renamed("A"), claims=["x"])["claims"] == ["x"]


def test_a_number_that_json_lacks_becomes_null():
    assert json.loads(FORMAT.text(Renamed("A", (KNOWN,))))["all"][0]["inner"] == {"se": None}


def test_bytes_that_are_not_utf8_are_written_as_escapes():
    assert json.loads(FORMAT.text(Renamed("./\udcff")))["type"] == r"./\udcff"


def test_the_schema_names_every_line_and_the_type_decodes_what_is_written():
    described = schema(FORMAT)["$defs"]
    assert [*described["Outer"]["properties"]] == [*FORMAT.document(Renamed("A", (KNOWN,)))["all"][0]]
    assert described["Renamed"]["properties"]["format"] == {"enum": ["steelyard/test"]}
    text = FORMAT.text(Renamed("A", (OPEN,)))
    assert (
        msgspec.json.decode(text, type=document_type(FORMAT)).all[0].undefined
        == "there is only one complete block"
    )


def test_a_line_that_leads_nowhere_is_found_by_the_schema_and_by_the_document():
    class Wrong(msgspec.Struct, frozen=True):
        a: int
        __lines__: ClassVar[Lines] = ("a", "b=c.d")

    wrong = Format("steelyard/wrong", 1, Wrong)
    with pytest.raises(AttributeError, match="c"):
        wrong.document(Wrong(1))
    with pytest.raises(AttributeError, match="c"):
        schema(wrong)


def test_a_view_stands_for_a_type_that_has_no_lines_of_its_own():
    def length(inner: Inner) -> int:
        return 5

    document_format = Format("steelyard/test", 1, Renamed, {Outer: ("metric", "inner"), Inner: length})
    assert document_format.document(Renamed("A", (KNOWN,)))["all"] == [{"metric": "wall_s", "inner": 5}]


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(results.__path__)])
def test_no_answer_lists_lines_that_its_fields_say(name):
    module = importlib.import_module(f"{results.__name__}.{name}")
    for struct in vars(module).values():
        if isinstance(struct, type) and issubclass(struct, msgspec.Struct) and "__lines__" in vars(struct):
            assert struct.__lines__ != struct.__struct_encode_fields__, struct
