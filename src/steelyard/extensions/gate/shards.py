"""Shards: one suite over several jobs, each with a part of the benchmarks, and one verdict of all.

Each shard has its part of the level, so that all of them together are wrong with a probability of at most
that of one gate, whatever machine each ran on: a benchmark is compared within its own shard.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.gate.results import GATE, Gate, GatedBenchmark, Shard
from steelyard.extensions.gate.waivers import PLACE
from steelyard.files.reading import decode_json, read_text
from steelyard.report.text.label import join_names, plural

MOST: Final = 1000
"""Shards of a suite."""
_AGAIN: Final = "write it by a shard: steelyard gate --shard 1/4 --json ... > shard-1.json"
_ALIKE: Final = ("base", "head", "harness", "command", "metrics", "margin")
"""Attributes that shards of one gate share."""
_OF_MACHINES: Final = ("Other work took CPUs:", "The machine was not quiet within", " s is too short: ")
"""Parts of sentences that differ from shard to shard in numbers alone."""


def parse_shard(text: str) -> Shard:
    """Return the shard that ``2/4`` names.

    Raises
    ------
    UsageError
        It is none of them.
    """
    match = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]) <= MOST:
        raise UsageError(f"--shard {text}: expected NUMBER/COUNT, as in 2/4", hint="the first of four: 1/4")
    return Shard(int(match[1]), int(match[2]))


def read_shards(files: Sequence[Path]) -> Gate:
    """Return the answer of all shards together.

    Raises
    ------
    UsageError
        A file is no answer of a shard, shards are of different gates, or one is missing or there twice.
    """
    answers = {str(file): _read(file) for file in files}
    (first_file, first), *rest = answers.items()
    for file, answer in rest:
        for name in _ALIKE:
            if getattr(answer, name) != getattr(first, name):
                raise UsageError(
                    f"{file} and {first_file} are of different gates: {name} differs",
                    hint="merge shards of one gate: the same revisions and options in each job",
                )
    _refuse_incomplete(list(answers.values()))
    return merge_shards(list(answers.values()))


def merge_shards(answers: Sequence[Gate]) -> Gate:
    """Join the answers of all shards; p-values count over the whole suite."""
    count = len(answers)
    unmatched = set.intersection(*(set(answer.shard.unmatched) for answer in answers if answer.shard))
    notes = _join_notes(answers)
    unused = [f"{PLACE}: the waiver of {name} is not used: it is not in this gate." for name in unmatched]
    qualifications = {answer.qualification for answer in answers}
    return replace(
        answers[0],
        alpha=math.fsum(answer.alpha for answer in answers),
        measured_s=math.fsum(answer.measured_s for answer in answers),
        max_time_s=math.fsum(answer.max_time_s for answer in answers),
        out_of_time=any(answer.out_of_time for answer in answers),
        benchmarks=tuple(_adjust(entry, count) for answer in answers for entry in answer.benchmarks),
        notes=(*notes, *sorted(unused)),
        qualification=qualifications.pop() if len(qualifications) == 1 else None,
        shard=None,
    )


def _join_notes(answers: Sequence[Gate]) -> list[str]:
    """Return what shards say, each sentence once; of machines, the one with the largest numbers."""
    numbers: dict[str, list[int]] = {}
    for answer in answers:
        for note in dict.fromkeys(answer.notes):
            numbers.setdefault(note, []).append(answer.shard.number if answer.shard else 0)
    joined: list[str] = []
    kinds: dict[str, list[str]] = {}
    for note in numbers:
        kind = next((kind for kind in _OF_MACHINES if kind in note), None)
        if kind is None:
            joined.append(note)
        else:
            kinds.setdefault(kind, []).append(note)
    for alike in kinds.values():
        worst = max(alike, key=_list_numbers)
        if len(alike) == 1 and len(numbers[worst]) == len(answers):
            joined.append(worst)
            continue
        shards = sorted(number for note in alike for number in numbers[note])
        rest = [str(number) for number in shards if number not in numbers[worst]]
        of_worst = f"shard{'s' * (len(numbers[worst]) > 1)} {join_names([*map(str, numbers[worst])])}"
        joined.append(f"{worst} ({of_worst}{f'; less in {join_names(rest)}' if rest else ''})")
    return joined


def _list_numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def _adjust(entry: GatedBenchmark, count: int) -> GatedBenchmark:
    """Return the benchmark with p-values that are compared with the level of all shards."""

    def times(p: float | None) -> float | None:
        return None if p is None else min(1.0, p * count)

    return replace(
        entry,
        p_worse=times(entry.p_worse),
        p_better=times(entry.p_better),
        p_equivalent=times(entry.p_equivalent),
    )


def _refuse_incomplete(answers: Sequence[Gate]) -> None:
    shards = [answer.shard for answer in answers if answer.shard is not None]
    count = shards[0].count
    numbers = Counter(shard.number for shard in shards)
    if any(shard.count != count for shard in shards):
        raise UsageError("shards of different numbers of jobs", hint="--shard K/N with one N in all jobs")
    if twice := [number for number, times in numbers.items() if times > 1]:
        raise UsageError(f"shard {twice[0]}/{count} is there twice", hint="name each file once")
    if missing := [number for number in range(1, count + 1) if number not in numbers]:
        raise UsageError(
            f"shard {missing[0]}/{count} is missing: its benchmarks were not judged",
            hint="its job failed, or its file was not named",
        )
    for answer, shard in zip(answers, shards, strict=True):
        rows = len({entry.name for entry in answer.benchmarks})
        if not 0 < shard.rows == rows:
            raise UsageError(
                f"shard {shard.number}/{count} has rows of {plural(rows, 'benchmark')},"
                f" and gated {shard.rows}",
                hint="the file is not what the gate wrote: take the one of its job",
            )
    names = Counter(name for answer in answers for name in {entry.name for entry in answer.benchmarks})
    suites = {shard.suite for shard in shards}
    if len(suites) > 1 or any(times > 1 for times in names.values()) or {len(names)} != suites:
        raise UsageError(
            "the shards divided different suites: their jobs did not find the same benchmarks",
            hint="does the harness choose its benchmarks by the machine? gate them in one job",
        )


def _read(file: Path) -> Gate:
    document = decode_json(read_text(file, hint=_AGAIN), str(file), hint=_AGAIN)
    head = {"format": GATE.name, "version": GATE.version}
    if not isinstance(document, dict) or {key: document.get(key) for key in head} != head:
        raise UsageError(f"{file}: not an answer of steelyard gate, version {GATE.version}", hint=_AGAIN)
    try:
        answer = msgspec.convert(_restore(document), Gate)
    except msgspec.ValidationError as error:
        raise UsageError(f"{file}: {error}", hint=_AGAIN) from None
    if answer.shard is None:
        raise UsageError(f"{file}: the answer of a whole suite, not of a shard", hint=_AGAIN)
    return answer


def _restore(node: Any, key: str = "") -> Any:
    """Return the document with intervals as they are in an answer."""
    if isinstance(node, dict):
        return {name: _restore(value, name) for name, value in node.items()}
    if key == "ci95" and isinstance(node, list) and len(node) == 2:
        return {"low": node[0], "high": node[1]}
    return [_restore(value) for value in node] if isinstance(node, list) else node
