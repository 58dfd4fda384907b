"""A record by its contexts: what one person with one set-up would have seen."""

from __future__ import annotations

from steelyard.errors import UsageError
from steelyard.lab.answer.analyze import analyze
from steelyard.stats.contexts.profile import ByContext, Profile, profile
from steelyard.stats.contexts.visits import same_contexts
from steelyard.store import Record


def by_context(record: Record, *, metric: str | None = None) -> ByContext:
    """Every treatment and every comparison, context by context.

    Raises
    ------
    UsageError
        The experiment draws no contexts, or there is no such metric.
    RecordError
        As ``analyze``.
    """
    experiment = record.experiment
    answer = analyze(record, metric=metric)
    settings = {
        outcome.block.context.id: outcome.block.context.settings
        for outcome in record.stream_outcomes()
        if outcome.block.context is not None
    }
    if len({tuple(its.items()) for its in settings.values()}) < 2:
        raise UsageError(
            f"{record.directory} has one context only", hint='draw some: env_bytes = "random" in [contexts]'
        )
    samples = record.samples(metric or experiment.analysis.metric)
    found = (profile(same_contexts(each, answer.design.drawn_before), settings) for each in samples)
    profiles = tuple(each for each in found if isinstance(each, Profile))
    return ByContext(experiment.name, profiles, answer.contexts)
