"""The command of a treatment, as one would type it."""

from __future__ import annotations

import shlex

from steelyard.core.sample import Treatment
from steelyard.spec.experiment import Experiment
from steelyard.spec.text.placeholders import expand, format_level
from steelyard.spec.text.shell_text import expand_for_shell


def format_command(experiment: Experiment, treatment: Treatment) -> str:
    """Format the command of a treatment as one would type it, ``{build}`` and ``{trial}`` left in place."""
    words = experiment.program.commands
    chosen = words[str(treatment.levels["command"]) if len(words) > 1 else next(iter(words))]
    values = {name: format_level(level) for name, level in treatment.levels.items()}
    values |= {"source": experiment.source, "build": "{build}", "trial": "{trial}"}
    if experiment.program.shell:
        return expand_for_shell(chosen[0], values)
    return shlex.join(expand(word, values) for word in chosen)
