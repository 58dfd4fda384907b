"""Starts of the machine between which treatments were measured."""

from __future__ import annotations

from steelyard.store import Reading


def confounded_boots(record: Reading) -> str | None:
    """Warn where treatments were measured under different starts of the machine.

    What a start does (where the kernel and its pages lie) cannot then be told from what the treatments do.
    """
    if len({run.boot for run in record.runs()}) < 2:
        return None
    boots = record.boots_of_treatments()
    names = {treatment.id: treatment.label for treatment in record.treatments}
    apart = [
        (boot, later) for boot in boots for later in boots if boot < later and not boots[boot] & boots[later]
    ]
    if not apart:
        return None
    number, later = apart[0]
    text = f" ({len(apart)} pairs of treatments)" if len(apart) > 1 else ""
    return (
        f"{names[number]} and {names[later]} were never measured after the same start of the machine{text}:"
        " effects of starts and treatments cannot be separated."
    )
