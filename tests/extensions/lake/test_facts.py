"""Facts of a record in a lake come back as they were, and damage in them is named."""

from __future__ import annotations

import gzip

import msgspec
import pytest

from steelyard.core.errors import RecordError
from steelyard.core.sample import Treatment
from steelyard.extensions.lake.facts import LakeFacts, TableFile, decode, encode, find_place, hash_bytes
from steelyard.store.entries import Run

FACTS = LakeFacts(
    id="0123456789abcdef",
    name="a",
    created_ns=1_785_000_000_000_000_000,
    spec="f" * 16,
    content="c",
    experiment="{}",
    program={"/bin/true": {"sha256": "0"}},
    treatments=(Treatment(1, "a", {"f": 1}),),
    metrics=(),
    contexts={1: {"env_bytes": 17}},
    runs=(Run(1, 1, 2, "boot", {"hostname": "a"}, "complete"),),
    looks=(),
    extensions=(),
    warnings=(),
    batches=(),
    blocks=3,
    condensed=None,
    trials=TableFile(3, hash_bytes(b"")),
    ratios=TableFile(0, hash_bytes(b"")),
)


def test_facts_come_back_and_equal_facts_are_equal_bytes():
    assert decode(encode(FACTS), "x") == FACTS
    assert encode(FACTS) == encode(decode(encode(FACTS), "x"))


def test_the_name_of_facts_says_spec_day_and_record():
    assert FACTS.stem == f"spec={'f' * 16}/day=2026-07-25/0123456789abcdef"
    assert find_place(f"{FACTS.stem}.json.gz") == ("f" * 16, "2026-07-25", FACTS.id)
    for name in ("x.json.gz", f"{FACTS.stem}.parquet", "spec=a/day=2026-07-25/x.json.gz", ""):
        assert find_place(name) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no gzip",
        encode(FACTS)[:-9],
        gzip.compress(b"[1]", mtime=0),
        gzip.compress(b'{"format": "steelyard/lake", "version": 1}', mtime=0),
        gzip.compress(b'{"format": "other", "version": 1}', mtime=0),
        gzip.compress(b"\xff\xfe", mtime=0),
        encode(msgspec.structs.replace(FACTS, created_ns=10**27)),
        encode(msgspec.structs.replace(FACTS, created_ns=-(10**27))),
    ],
    ids=["empty", "text", "cut", "list", "keys", "format", "bytes", "late", "early"],
)
def test_damage_is_named_with_its_place_and_cure(content):
    with pytest.raises(RecordError, match=r"^a/x is damaged") as error:
        decode(content, "a/x")
    assert "steelyard export" in error.value.hint


def test_a_newer_version_is_refused_with_the_cure():
    text = msgspec.json.encode(msgspec.structs.replace(FACTS, version=2))
    with pytest.raises(RecordError, match="has format 2") as error:
        decode(gzip.compress(text), "x")
    assert "newer Steelyard" in error.value.hint


def test_no_more_is_unpacked_than_facts_can_have(monkeypatch):
    monkeypatch.setattr("steelyard.extensions.lake.facts.LARGEST_BYTES", 1000)
    with pytest.raises(RecordError, match="unpacks to more than"):
        decode(gzip.compress(b" " * 10**7), "x")


@pytest.mark.parametrize(
    "id_", ["../../../pwn/evil", "", "0123456789ABCDEF", "0123456789abcde", "0" * 16 + "\n"]
)
@pytest.mark.parametrize("key", ["id", "spec"])
def test_an_id_that_is_not_16_hexadecimal_digits_names_no_file(key, id_):
    facts = msgspec.structs.replace(FACTS, **{key: id_})
    with pytest.raises(ValueError, match="not 16 hexadecimal digits"):
        _ = facts.stem
    with pytest.raises(RecordError, match="not 16 hexadecimal digits"):
        decode(encode(facts), "x")


def test_facts_of_any_depth_end_in_a_sentence():
    deep = b"[" * 10**5 + b"]" * 10**5
    text = msgspec.json.encode(FACTS).replace(b'"program":{', b'"program":{"a":' + deep + b",")
    assert deep in text
    with pytest.raises(RecordError, match="nested too deeply"):
        decode(gzip.compress(text), "x")
