"""Programs on this machine and in virtual time, and the network between two ranks of this machine."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Final

from measuring import BUILDS, Timed, fastest, fixed, lines_of

CALIBRATED: Final = ("--compute", "calibrated")


def virtual_lines(network: Path, ranks: int, program: str, *arguments: str) -> list[dict[str, Any]]:
    """The lines of a program in virtual time."""
    words = [str(BUILDS / "virtual" / "bin" / program), *arguments, "--network", f"virtual:{network}"]
    done = subprocess.run([*words, "--ranks", str(ranks)], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def total_s(lines: list[dict[str, Any]]) -> float:
    """The time of all sources, the fastest repetition of each."""
    return float(sum(min(line["values"]) for line in lines if line["metric"] == "time_s"))


def measured_network(transport: str, directory: Path, idle: tuple[str, ...] = ()) -> Path:
    """What a message takes between two ranks of this machine, as a network file; ``idle``: how they wait."""
    words = ("--transport", transport, "--buffer-bytes", "4096", *idle)
    once = fixed(repetitions=5, warmup=1)
    counts = {8: 200_000, 4096: 50_000}
    message_s = {}
    for size, count in counts.items():
        asked = (*once, "--ops", "raw", *words, "--payload", str(size), "--count", str(count))
        message_s[size] = fastest(lines_of("openmpi", 2, "ping", *asked), "time_s") / count
    byte_s = max(0.0, message_s[4096] - message_s[8]) / (4096 - 8)
    reads = ("--ops", "reads", "--in-flight", "1", "--reads", "20000", "--execution", "fibre")
    there_and_back_s = fastest(lines_of("openmpi", 2, "runtime", *once, *reads, *words), "time_s") / 20000
    link = {
        "latency_s": max(0.0, there_and_back_s / 2 - 2 * message_s[8]),
        "send_s": message_s[8],
        "send_byte_s": byte_s,
        "receive_s": message_s[8],
        "receive_byte_s": byte_s,
    }
    print(f"{transport}: " + ", ".join(f"{key} {value:.3g}" for key, value in link.items()))
    document = {"format": "steelyard-network", "version": 1, "nodes": 1, "ranks_of_node": 2, "inside": link}
    file = directory / f"{transport}.json"
    file.write_text(json.dumps(document))
    return file


def alone_network(directory: Path) -> Path:
    """A rank alone sends to nobody."""
    file = directory / "alone.json"
    file.write_text(json.dumps({"format": "steelyard-network", "version": 1, "nodes": 1}))
    return file


def real_s(ranks: int, words: tuple[str, ...], transport: str, timed: Timed | None = None) -> float:
    """Seconds of a program on so many ranks of this machine."""
    return total_s(lines_of("openmpi", ranks, *words, "--transport", transport, timed=timed))


def virtual_s(network: Path, ranks: int, *words: str) -> float:
    """Seconds of a program on so many ranks in virtual time."""
    return total_s(virtual_lines(network, ranks, *words))
