"""Tables 3 to 8 of Nogueira and Matias: the percentage of ten programs whose samples differ, before and after
Holm.

A row is a treatment, its cells are those against the treatments that follow it.
"""

from __future__ import annotations

TREATMENTS = {
    "experiment 1": ("RL3O2", "RL3O3", "RL5O2", "RL5O3"),
    "experiment 2, O2": ("0", "64", "128", "256", "512", "1024", "2048", "4096"),
    "experiment 2, O3": ("0", "64", "128", "256", "512", "1024", "2048", "4096"),
    "experiment 3": ("SA2TH", "SA4TH", "SA6TH", "CP2TH", "CP4TH", "CP6TH", "SC2TH", "SC4TH", "SC6TH"),
}

BEFORE = {
    "experiment 1": """
        100 50 100
        90 50
        90""",
    "experiment 2, O2": """
        50 40 60 70 50 20 50
        70 60 40 70 60 70
        40 30 50 40 50
        40 40 30 60
        50 50 50
        50 70
        50""",
    "experiment 2, O3": """
        60 50 50 40 30 70 40
        60 50 60 70 60 60
        60 60 70 70 60
        60 20 90 40
        40 60 50
        60 40
        60""",
    "experiment 3": """
        100 100 100 90 100 60 100 100
        100 100 90 90 100 100 90
        100 100 90 100 100 90
        100 100 90 100 100
        100 100 100 100
        100 100 90
        100 100
        100""",
}

AFTER = {
    "experiment 1": """
        90* 50 100
        90 50
        90""",
    "experiment 2, O2": """
        30* 40 20* 50* 40* 10* 30*
        40* 40* 30* 60* 30* 60*
        20* 20* 30* 20* 40*
        30* 40 20* 40*
        20* 30* 40*
        40* 40*
        40*""",
    "experiment 2, O3": """
        60 40* 40* 10* 30 40* 20*
        50* 40* 40* 40* 60 40*
        60 40* 50* 60* 30*
        40* 20 60* 30*
        40 50* 40*
        40* 30*
        50*""",
    "experiment 3": """
        100 100 100 90 100 60 100 100
        100 100 90 90 100 100 90
        100 100 90 100 100 90
        100 100 90 100 100
        100 90* 100 100
        100 100 90
        100 100
        100""",
}

PROGRAMS = ("BT", "CG", "DC", "EP", "FT", "IS", "LU", "MG", "SP", "UA")


def cells(table: str) -> list[list[str]]:
    """The cells of a table, row by row, as they are printed."""
    return [line.split() for line in table.split("\n") if line.strip()]
