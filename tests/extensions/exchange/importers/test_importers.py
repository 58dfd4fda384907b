"""Which tool wrote a file, and what is said of one that no tool, or another, wrote."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange import importers
from steelyard.extensions.exchange.importers import FORMATS, read
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries

HYPERFINE = {"results": [{"command": "a", "times": [1.0]}]}


def test_a_truncated_file_is_named_as_such_and_nothing_is_imported(written):
    with pytest.raises(UsageError, match="the file is cut off: its JSON does not end"):
        read(written('{"results": [{"command": "a", "times": [1.0,'))


def test_json_of_no_known_tool_is_refused_with_the_formats(written):
    with pytest.raises(UsageError, match="JSON of no tool that is known, and --value is missing") as caught:
        read(written({"something": 1}))
    assert all(name in (caught.value.hint or "") for name in FORMATS)


def test_a_file_of_another_tool_is_named_as_such(written):
    with pytest.raises(UsageError, match="not a file of pyperf, but of hyperfine"):
        read(written(HYPERFINE), "pyperf")


def test_a_known_file_with_a_field_of_another_type_says_where(written):
    with pytest.raises(UsageError, match=r"looks like a file of hyperfine, but .*`\$\.results\[0\]\.times`"):
        read(written({"results": [{"command": "a", "times": "fast"}]}))


def test_a_file_without_a_value_is_refused(written):
    with pytest.raises(UsageError, match="the file of hyperfine contains no measurements"):
        read(written({"results": []}))


def test_columns_have_no_meaning_for_a_tool_that_names_its_metrics(written):
    with pytest.raises(UsageError, match="hyperfine names its metrics itself"):
        read(written(HYPERFINE), chosen=importers.Chosen(("time",)))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    file = tmp_path / "it.json"
    file.write_bytes(b"\xff\xfe{")
    with pytest.raises(UsageError, match="not UTF-8 text"):
        read(file)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        read(tmp_path / "it.json")


def read_ours(text, where):
    assert where.endswith("it.txt")
    return FileContents("ours", (ImportedSeries({"benchmark": "f"}, "time_s", "s", ((float(text),),)),))


def test_an_extension_adds_a_format(written, monkeypatch):
    monkeypatch.setattr(importers, "list_readers", lambda: {"ours": "ours:read"})
    monkeypatch.setattr(importers, "load", {"ours:read": read_ours}.__getitem__)
    assert read(written("2.5", "it.txt"), "ours").series[0].values == ((2.5,),)


def test_a_format_that_nobody_adds_is_refused_with_those_that_are_known(written):
    with pytest.raises(UsageError, match="unknown format 'theirs'") as caught:
        read(written("2.5", "it.txt"), "theirs")
    assert "hyperfine" in (caught.value.hint or "")
