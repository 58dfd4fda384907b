"""Labels of a program that restate what its treatment is: they tell nothing apart, and are left out."""

from __future__ import annotations

# Braces are doubled, since single ones are placeholders.
LINE = '{{"steelyard": 1, "metric": "t", "labels": {{"p": LABEL, "phase": "PHASE"}}, "values": [1]}}'


def labels_of(run_in, label):
    lines = [LINE.replace("LABEL", label).replace("PHASE", phase) for phase in ("send", "sort")]
    record = run_in(
        program={"command": ["printf", "%s\\n", *lines, "of {p}"]},
        factors={"p": [2, 4]},
        metrics={"t": {"source": "lines"}},
        design={"blocks": 2, "discard": 0},
    )
    return sorted((sample.treatment.levels["p"], *sample.labels.items()) for sample in record.samples("t"))


def test_a_label_that_is_the_level_on_every_line_is_none(run_in):
    assert labels_of(run_in, "{p}") == [(p, ("phase", phase)) for p in (2, 4) for phase in ("send", "sort")]


def test_a_label_that_is_the_level_of_one_treatment_alone_is_kept(run_in):
    assert labels_of(run_in, "4") == [
        (p, ("p", 4), ("phase", phase)) for p in (2, 4) for phase in ("send", "sort")
    ]
