"""Series in, models out: what shares a grid and a question is fitted together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.errors import UsageError
from steelyard.core.series import Series
from steelyard.extensions.growth.algebra import CONSTANT, Growth
from steelyard.extensions.growth.scaling import seed001
from steelyard.extensions.growth.scaling.aggregate import Aggregated, aggregate
from steelyard.extensions.growth.scaling.candidates import LEAST_FOR_SUMS
from steelyard.extensions.growth.scaling.checks import LARGEST_PARAMETER, LEAST_POINTS, SeriesArrays, read_all
from steelyard.extensions.growth.scaling.choose import Choices
from steelyard.extensions.growth.scaling.columns import Monomial
from steelyard.extensions.growth.scaling.doubts import doubt
from steelyard.extensions.growth.scaling.exact_models import state_exactly
from steelyard.extensions.growth.scaling.fit import AnswerSource, Fitted, Grid, fit
from steelyard.extensions.growth.scaling.foresee import Foresight, foresee
from steelyard.extensions.growth.scaling.last_miss import allow_misses, last_miss, relative_noise
from steelyard.extensions.growth.scaling.levelling import level_off, rise_of, warn_of_guess
from steelyard.extensions.growth.scaling.model import (
    ModelWarning,
    NotModelled,
    Prediction,
    ScalingModel,
    Segment,
    value_of,
)
from steelyard.extensions.growth.scaling.more_growth import upper_ends
from steelyard.extensions.growth.scaling.one_point import (
    allow_three,
    misfits,
    rests_on_last,
    shows_before_last,
)
from steelyard.extensions.growth.scaling.points import Points
from steelyard.extensions.growth.scaling.posterior import EXACT, Posterior
from steelyard.extensions.growth.scaling.provenance import note_provenance
from steelyard.extensions.growth.scaling.question import Question
from steelyard.extensions.growth.scaling.rates import (
    is_modelled_as_time,
    model_of_rate,
    note_direction,
    question_of_times,
    reciprocal,
    refuse_lower_bounds,
)
from steelyard.extensions.growth.scaling.seconds import Seconds, compare_answers
from steelyard.extensions.growth.scaling.strong import strong_opinions
from steelyard.extensions.growth.scaling.validation import NOT_KNOWN, Asked, rank_of_one, validation_of
from steelyard.extensions.growth.scaling.warnings import warnings_of

BATCH: Final = 2048
"""Functions fitted at once; bounds memory at about 100 MB."""
LEAST_FALL: Final = 0.03
SURE_FALL: Final = 5.0
"""A series falls where its last value is below its first by 3 % and by 5 standard uncertainties (few
launches: t, not z).
"""
UNTOLD: Final = 0.25
"""Doubt by noise that is warned of: "none" is stated no more, and from 0.55 on no rank is."""
DOUBT_OF_FEW: Final = 0.35
"""Of a lead known from three or four points, more than from others: of drawn functions, those stated with
90 % and more were right in 58.
"""
ALTERNATIVES: Final = 3
WORTH_NAMING: Final = 0.01

Answer = ScalingModel | NotModelled
Progress = Callable[[int, int], None]


def model(series: Series, question: Question | None = None) -> Answer:
    """Model one series."""
    return model_all([series], question)[0]


def model_all(
    series: Sequence[Series], question: Question | None = None, progress: Progress | None = None
) -> tuple[Answer, ...]:
    """Model every series; what cannot be modelled says why and stops nothing.

    ``progress`` is called with the numbers done and total, between batches.

    Raises
    ------
    UsageError
        The question itself is wrong: an expectation that does not parse, a parameter that no series has.
    """
    full = question or Question()
    _check(series, full)
    rates = [function for function in series if is_modelled_as_time(function)]
    refuse_lower_bounds(full, series)
    if not rates:
        answers = _model_values(series, full, progress)
    else:
        times = [reciprocal(function) if is_modelled_as_time(function) else function for function in series]
        modelled = iter(
            _model_values(
                [function for function in times if isinstance(function, Series)],
                question_of_times(full, rates),
                progress,
            )
        )
        answers = tuple(time if isinstance(time, NotModelled) else next(modelled) for time in times)
        answers = tuple(
            model_of_rate(answer, full.expectation(function.name, function.metric))
            if is_modelled_as_time(function)
            else answer
            for answer, function in zip(answers, series, strict=True)
        )
    return tuple(itertools.starmap(note_direction, zip(answers, series, strict=True)))


def _model_values(
    series: Sequence[Series], full: Question, progress: Progress | None = None, *, misses: bool = True
) -> tuple[Answer, ...]:
    """Model the values as they are; ``misses``: the last point is predicted from those before, too."""
    answers: dict[int, Answer] = {}
    groups: dict[object, _Group] = {}
    for number, (function, reading) in enumerate(zip(series, read_all(series), strict=True)):
        if isinstance(reading, NotModelled):
            answers[number] = reading
            continue
        grid, expected = grid_of(function, reading, full), read_question(function, full)
        every = full.every_lead
        every_lead = every if isinstance(every, bool) else function.name in every
        points = reading.grid.tobytes()
        key = (points, grid.parameters, grid.expectations, expected, grid.falling, grid.rise, every_lead)
        if key not in groups:
            groups[key] = _Group(grid, expected, every_lead)
        groups[key].readings.append((number, reading))
    done = len(answers)
    work = [
        (group, group.readings[start : start + BATCH])
        for group in groups.values()
        for start in range(0, len(group.readings), BATCH)
    ]
    for (_, chunk), chunk_answers in zip(work, _answer_all(work, full, misses=misses), strict=True):
        for (number, _), answer in zip(chunk, chunk_answers, strict=True):
            answers[number] = note_provenance(answer, series[number])
        done += len(chunk)
        if progress is not None:
            progress(done, len(series))
    return tuple(answers[number] for number in range(len(series)))


class _Group(msgspec.Struct, frozen=True):
    grid: Grid
    question: Asked | None
    every_lead: bool
    readings: list[tuple[int, SeriesArrays]] = []


def _answer_all(
    work: Sequence[tuple[_Group, list[tuple[int, SeriesArrays]]]], question: Question, *, misses: bool
) -> Iterator[list[Answer]]:
    """Yield the answers of each chunk, in order.

    While one chunk is in the kernel, which holds no lock, another is made into models: half of the time is
    Python's, which threads of the kernel alone cannot share.
    """
    threads = min(question.threads, len(work))
    if threads < 2:
        for group, chunk in work:
            yield _get_answers(group, [reading for _, reading in chunk], question, misses=misses)
        return
    from concurrent.futures import ThreadPoolExecutor

    alone = replace(question, threads=1)
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(
            lambda item: _get_answers(item[0], [reading for _, reading in item[1]], alone, misses=misses),
            work,
        )


def most_probable(scaling_model: ScalingModel) -> ScalingModel:
    """Return the model with its most probable other leads only, of one that names every lead."""
    worth = [(lead, p) for lead, p in scaling_model.alternatives if p > WORTH_NAMING]
    return replace(scaling_model, alternatives=tuple(worth[:ALTERNATIVES]), priors={})


def _check(series: Sequence[Series], question: Question) -> None:
    parameters = {name for names in {function.parameters for function in series} for name in names}
    texts = [question.parameter] if question.parameter else []
    texts += [*question.scale, *(name for target in question.targets for name in target)]
    texts += question.along.values()
    for name in texts:
        if parameters and name not in parameters:
            raise UsageError(
                f"no series has a parameter {name!r}",
                hint=f"name one of the parameters: {', '.join(sorted(parameters))}",
            )
    for target in (question.scale, *question.targets):
        for name, value in target.items():
            # Where data go below 1 there are no logarithms, and a target may too.
            small = not value > 0 or (value < 1 <= _least(series, name))
            if small or (target is question.scale and value <= 1):
                hint = "choose a scale above 1" if target is question.scale else "choose a target from 1 up"
                raise UsageError(f"{name} = {value:g} is not a scale at which growth has a value", hint=hint)
            if value > LARGEST_PARAMETER:
                raise UsageError(
                    f"{name} = {value:g} is beyond the largest scale, {LARGEST_PARAMETER:g}",
                    hint="choose a smaller one",
                )
    for stated in question.expectations.values():
        stated.growth(question.parameter or "p", question.along)
        stated.limit(question.parameter or "p", question.along)
        named = stated.parameters
        if parameters and named and not named & {*parameters, *question.along}:
            raise UsageError(
                f"{stated.expect} depends on {', '.join(sorted(named))}, which does not vary here",
                hint=f"write it over one of: {', '.join(sorted(parameters))}; what stays constant is O(1)",
            )


def _least(series: Sequence[Series], name: str) -> float:
    """Return the smallest value of a parameter."""
    holders = [function for function in series if name in function.parameters]
    return min(
        (p.at[function.parameters.index(name)] for function in holders for p in function.points), default=1.0
    )


def read_question(series: Series, question: Question) -> Asked | None:
    """Return the expectation, for the parameter that varies: the one named, or the first."""
    stated = question.expectation(series.name, series.metric)
    if stated is None:
        return None
    at = series.parameters.index(question.parameter) if question.parameter in series.parameters else 0
    name = series.parameters[at]
    growth = stated.growth(name, question.along)
    return Asked(stated, growth, stated.limit(name, question.along), at, name)


def grid_of(series: Series, reading: SeriesArrays, question: Question) -> Grid:
    """Return what decides how a series is searched."""
    stated = question.expectation(series.name, series.metric)
    names = series.parameters
    expectations = tuple(None if stated is None else stated.growth(p, question.along) for p in names)
    falling = tuple(_falls(reading, at, question, e) for at, e in enumerate(expectations))
    rise = rise_of(reading) if falling == (True,) else "any"
    return Grid(reading.grid, names, expectations, falling, rise)


def _falls(reading: SeriesArrays, at: int, question: Question, expectation: Growth | None) -> bool:
    """Whether falling terms are searched for parameter ``at``.

    They are where that is asked for, expected, or plainly in the data.
    """
    if question.negative is not None:
        return question.negative
    if expectation is not None and expectation < CONSTANT:
        return True
    scales = reading.grid[:, at]
    if reading.grid.shape[1] == 1:
        # Points are sorted; most series end here. What falls may rise again: to the least point, not to the
        # last.
        means = reading.means.tolist()
        least = min(means)
        if least >= (1 - LEAST_FALL) * means[0] or means[0] - least <= LEAST_FALL * means[0]:
            return False
        high = np.arange(len(scales)) == means.index(least)
    else:
        high = scales == scales.max()
    low = scales == scales.min()
    fallen = reading.means[low].mean() - reading.means[high].mean()
    if fallen <= LEAST_FALL * reading.means[low].mean():
        return False
    u2 = 0.0
    if reading.values.shape[1] > 1:
        n = np.maximum(np.isfinite(reading.values).sum(axis=1), 2)
        ragged = bool(np.isnan(reading.values).any())
        variance = (np.nanvar if ragged else np.var)(reading.values, axis=1) / (n - 1)
        u2 = float(variance[low].sum() / low.sum() ** 2 + variance[high].sum() / high.sum() ** 2)
    return bool(fallen**2 > SURE_FALL**2 * u2)


def _get_answers(
    group: _Group, readings: list[SeriesArrays], question: Question, *, misses: bool
) -> list[Answer]:
    data = summarise(readings, question)
    targets = _targets(group.grid, question)
    if question.method == "seed001":
        return _get_least_squares(group, readings, data, question, targets)
    # At targets beyond the data a steep candidate may pass the largest double; infinite is what it is there.
    with np.errstate(over="ignore", invalid="ignore"):
        fitted = fit(group.grid, data, question, targets)
        foresight = foresee(fitted, targets, group.question, at_scale=bool(question.scale))
        seconds, upper = _compare_answers(fitted, question, targets), _bound_hidden(fitted, targets)
    models, resting = _get_models(group, readings, fitted, foresight, targets, seconds, upper)
    if len(targets) and group.grid.falling == (True,) and group.grid.rise != "none":
        models = _weigh_strong(models, group.grid, data, question, targets)
    if resting:  # and of no series it could not be said which scales are too small
        before = [_drop_last(readings[row].series) for row in resting]
        alone = replace(question, threads=1)
        for row, without in zip(resting, _model_values(before, alone, misses=False), strict=True):
            if isinstance(without, ScalingModel):
                reading = readings[row]
                last = float(reading.grid[-1, 0]), float(reading.means[-1])
                models[row] = allow_three(models[row], without, *last)
    if misses:
        models = _allow_misses(models, readings, data, question, targets)
    return [
        state_exactly(model, reading, group.question) for model, reading in zip(models, readings, strict=True)
    ]


def _drop_last(series: Series) -> Series:
    return replace(series, points=series.points[:-1])


def _allow_misses(
    models: Sequence[ScalingModel],
    readings: Sequence[SeriesArrays],
    data: Aggregated,
    question: Question,
    targets: Floats,
) -> list[ScalingModel]:
    """Return models of one parameter, their intervals beyond the data widened by misses of the last point."""
    scales = readings[0].grid[:, 0].tolist()
    if not len(targets) or readings[0].grid.shape[1] > 1 or targets.max() <= scales[-1]:
        return list(models)
    target = {readings[0].series.parameters[0]: scales[-1]}
    plain = replace(question, expectations={}, scale={}, targets=(target,), every_lead=False, threads=1)
    rows = [row for row, model in enumerate(models) if _has_misses(model, data.value[row])]
    before = [_drop_last(readings[row].series) for row in rows] if len(scales) > LEAST_POINTS else []
    predicted = iter(_model_values(before, plain, misses=False))
    noise, out = relative_noise(data).tolist(), list(models)
    for row in rows:
        without = next(predicted, None)
        miss = last_miss(without, scales, data.value[row].tolist())
        out[row] = allow_misses(models[row], miss, noise[row], scales)
    return out


def _has_misses(model: ScalingModel, values: Floats) -> bool:
    """Whether misses are told in logarithms; exponentials on request are left to their posterior."""
    return bool((values > 0).all()) and model.lead[0].exp2 == 0


def _bound_hidden(fitted: Fitted, targets: Floats) -> Floats | None:
    """Upper ends of functions of one parameter with one growth more."""
    if not len(targets) or len(fitted.grid.parameters) > 1:
        return None
    return upper_ends(fitted.choices, fitted.data, targets)


def _compare_answers(fitted: Fitted, question: Question, targets: Floats) -> Seconds | None:
    """Second opinions on functions of one parameter that grow, unless somebody chose the terms."""
    if not len(targets) or fitted.grid.falling != (False,) or question.space != "default":
        return None
    return compare_answers(fitted.grid.points, fitted.data.value, fitted.data.u2, targets)


def _rests_on_last(answer: ScalingModel, scales: Sequence[float], listing: _Listed, at: int) -> bool:
    if answer.segments or len(answer.parameters) > 1 or len(scales) <= LEAST_POINTS:
        return False
    if misfits(answer):
        return True
    if not answer.terms or listing.shows[at]:
        return False
    lead, *terms = answer.terms
    leading = [lead, *(term for term in terms if term.coefficient < 0)]
    return rests_on_last(leading, scales, listing.values[at], listing.variance[at], listing.fitted[at])


def summarise(readings: list[SeriesArrays], question: Question) -> Aggregated:
    """One value a point and its uncertainty, for series that share their points."""
    return _add_summaries(aggregate(_stack(readings), question.aggregate, question.floor), readings)


def _stack(readings: list[SeriesArrays]) -> Floats:
    most = max(reading.values.shape[1] for reading in readings)
    out = np.full((len(readings), len(readings[0].values), most), np.nan)
    for row, reading in enumerate(readings):
        out[row, :, : reading.values.shape[1]] = reading.values
    return out


def _add_summaries(data: Aggregated, readings: list[SeriesArrays]) -> Aggregated:
    """Where points came as value and u, that u is their uncertainty."""
    if all(reading.u is None for reading in readings):
        return data
    u2, law, freedom = data.u2.copy(), data.law.copy(), data.freedom.copy()
    for row, reading in enumerate(readings):
        if reading.u is not None:
            u2[row] = np.maximum(reading.u**2, u2[row])
            law[row] = 0.0
            freedom[row] = float(reading.freedom)
    return replace(data, u2=u2, law=law, freedom=freedom)


def _targets(grid: Grid, question: Question) -> Floats:
    """Points to predict, (targets, parameters); a parameter that is not named stays at its largest value."""
    largest = dict(zip(grid.parameters, grid.points.max(axis=0), strict=True))
    targets: list[Mapping[str, float]] = ([question.scale] if question.scale else []) + list(question.targets)
    rows = [[float(target.get(name, largest[name])) for name in grid.parameters] for target in targets]
    return np.array(rows, dtype=float).reshape(-1, len(grid.parameters))


class _Listed:
    """What is shown of some choices, as lists: an element of an array takes as long as ten of a list."""

    def __init__(self, choices: Choices, data: Aggregated, *, every_lead: bool) -> None:
        posterior, candidates = choices.posterior, choices.posterior.candidates
        share = posterior.lead * (1 - posterior.doubt - _add_doubt(posterior))[:, None]
        rows, named = np.nonzero(share > (0 if every_lead else WORTH_NAMING))
        # The most probable lead of each function first.
        order = np.lexsort((-share[rows, named], rows))
        self.starts = np.searchsorted(rows, np.arange(len(share) + 1)).tolist()
        self.named, self.shares = named[order].tolist(), share[rows, named][order].tolist()
        self.lead = choices.lead.tolist()
        self.posterior = share[np.arange(len(share)), choices.lead].tolist()
        self.constant, self.terms = choices.constant.tolist(), choices.all_terms()
        self.lack_of_fit, self.r2 = _take_all(choices.lack_of_fit), _take_all(choices.r2)
        self.scales = candidates.points[:, 0].tolist()
        self.law, self.one_sided = data.law.tolist(), data.one_sided.tolist()
        self.values, self.fitted = data.value.tolist(), choices.fitted.tolist()
        self.variance, self.u2, self.freedom = (
            posterior.variance.tolist(),
            data.u2.tolist(),
            data.freedom.tolist(),
        )
        column = choices.member.max(axis=1)
        part = choices.slope.sum(axis=1) * candidates.raw[column, -2]
        at_last_but_one = (row[:, -2] for row in (data.value, posterior.variance, choices.fitted))
        shows = shows_before_last(part, *at_last_but_one)
        self.shows = (shows & ((choices.member >= 0).sum(axis=1) == 1)).tolist()
        self.senseless = choices.senseless.tolist()
        self.blurred = (posterior.blurred > UNTOLD).tolist()
        self.at_edge = _test_edges(candidates.leads, candidates.fastest)
        self.leads, self.leading, self.aggregate = candidates.leads, candidates.leading, data.aggregate
        self.most = len(candidates.leads) if every_lead else ALTERNATIVES
        prior = candidates.lead_prior.tolist() if every_lead else ()
        self.priors = dict(zip(candidates.leads, prior, strict=False))

    def points(self, at: int) -> Points:
        """Return what a rank of one parameter is doubted by."""
        return Points(self.scales, self.values[at], self.u2[at], self.freedom[at], self.variance[at])

    def alternatives(self, at: int) -> tuple[tuple[Monomial, float], ...]:
        """Return the other leads of a function, the most probable first."""
        first, lead = self.starts[at], self.lead[at]
        members = range(first, min(self.starts[at + 1], first + self.most + 1))
        rest = [(self.leads[self.named[i]], self.shares[i]) for i in members if self.named[i] != lead]
        return tuple(rest[: self.most])


def _add_doubt(posterior: Posterior) -> Floats:
    """Add doubt in a lead, (n,), where sums were not searched for want of points."""
    if posterior.variance.shape[1] >= LEAST_FOR_SUMS:
        return np.zeros(len(posterior))
    return np.asarray(DOUBT_OF_FEW * np.minimum(posterior.noise / EXACT, 1.0) * (1 - posterior.blurred))


@lru_cache(maxsize=256)
def _test_edges(leads: tuple[Monomial, ...], fastest: Monomial) -> tuple[bool, ...]:
    """Whether each lead is, in a parameter, the fastest that was searched."""
    return tuple(
        any(not top.is_constant and growth == top for growth, top in zip(lead, fastest, strict=True))
        for lead in leads
    )


def _take_all(values: Floats) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 -- NaN


def _get_models(
    group: _Group,
    readings: list[SeriesArrays],
    fitted: Fitted,
    foresight: Foresight,
    targets: Floats,
    seconds: Seconds | None,
    upper: Floats | None,
) -> tuple[list[ScalingModel], list[int]]:
    """Return the models, and the rows of those that may rest on their last point alone."""
    listed: dict[int, _Listed] = {}
    scales = group.grid.points[:, 0].tolist()
    asked_at = [tuple(target) for target in targets.tolist()]
    quantiles = foresight.quantiles.tolist()
    out: list[ScalingModel] = []
    resting = []
    for row, reading in enumerate(readings):
        special = fitted.special.get(row)
        choices, data, at = special.speaks() if special else (fitted.choices, fitted.data, row)
        listing = listed.get(id(choices))
        if listing is None:
            listing = listed[id(choices)] = _Listed(choices, data, every_lead=group.every_lead)
        predictions = zip(asked_at, quantiles[row], strict=True)
        segments = _get_segments(reading, special) if special else ()
        answer = _answer(group, reading, listing, at, foresight, row, predictions, segments)
        count = special.ends_apart if special else 0
        if count:
            answer = _replace_by_end(answer, quantiles[row], count)
        elif seconds is not None and not segments:
            answer = _weigh_seconds(answer, seconds, row, scales[-1], misfit=bool(fitted.misfit[row]))
        if upper is not None and not segments and row not in fitted.special:
            answer = _widen(answer, upper[row].tolist(), scales[-1])
        out.append(answer if count else _include_formula(answer))
        if _rests_on_last(answer, scales, listing, at):
            resting.append(row)
    return out, resting


def _answer(
    group: _Group,
    reading: SeriesArrays,
    listing: _Listed,
    at: int,
    foresight: Foresight,
    row: int,
    targets: Iterable[tuple[tuple[float, ...], list[float]]],
    segments: tuple[Segment, ...],
) -> ScalingModel:
    lead, constant, terms = listing.lead[at], listing.constant[at], listing.terms[at]
    unknown = reading.kinked or listing.senseless[at]
    sure = 1 / 3 if unknown else 1.0
    alternatives = listing.alternatives(at)
    question, series = group.question, reading.series
    validation = None
    if question is not None and foresight.ranks is not None:
        ranks_there = foresight.ranks_at[row] if foresight.ranks_at is not None else None
        ranks = foresight.ranks[row]
        targets = list(targets)
        scale = targets[0][0][question.at] if ranks_there is not None else None
        if unknown:
            ranks, ranks_there = NOT_KNOWN, None if ranks_there is None else NOT_KNOWN
        validation = validation_of(question, listing.leads[lead][question.at], ranks, scale, ranks_there)
    bounds = (float(reading.means.min()), float(reading.means.max())) if unknown else None
    predictions = tuple(
        _make_prediction(target, value_of(constant, terms, target), ends, bounds) for target, ends in targets
    )
    rise = group.grid.rise
    if rise != "any" and not unknown:
        predictions = level_off(predictions, listing.scales, listing.values[at], listing.variance[at], rise)
    answer = ScalingModel(
        name=series.name,
        metric=series.metric,
        unit=series.unit,
        labels=series.labels,
        parameters=series.parameters,
        points=len(reading.grid),
        launches=reading.fewest,
        constant=constant,
        terms=terms,
        lead=listing.leads[lead],
        posterior=sure * listing.posterior[at],
        alternatives=tuple((growths, sure * p) for growths, p in alternatives) if unknown else alternatives,
        aggregate=listing.aggregate[at],
        noise_law=listing.law[at],
        lack_of_fit=listing.lack_of_fit[at],
        r2=listing.r2[at],
        segments=segments,
        method="posterior",
        validation=validation,
        predictions=predictions,
        simulated=series.simulated,
        leading=listing.leading[lead],
        priors=listing.priors,
    )
    edge = bool(terms) and listing.at_edge[lead] and rise == "any"
    notes = warnings_of(
        answer,
        reading,
        listing.one_sided[at],
        edge=edge,
        blurred=listing.blurred[at],
        senseless=listing.senseless[at],
    )
    if rise != "any" and answer.lead[0] > CONSTANT:
        notes = (*notes, warn_of_guess(answer.growth()))
    answer = replace(answer, warnings=notes) if notes else answer
    if question is None or len(series.parameters) > 1:
        return answer
    return doubt(answer, question, listing.points(at), rising=rise == "any")


def _replace_by_end(answer: ScalingModel, quantiles: Sequence[Sequence[float]], count: int) -> ScalingModel:
    """Return the model, its values those of the last points, which go their own way."""
    predictions = tuple(
        replace(prediction, value=median)
        for prediction, (_, median, _) in zip(answer.predictions, quantiles, strict=True)
    )
    text = f"the last {count} points go their own way: values beyond rest on them, and no rank does"
    return replace(answer, predictions=predictions, warnings=(*answer.warnings, ModelWarning("misfit", text)))


def _weigh_seconds(
    answer: ScalingModel, seconds: Seconds, row: int, last: float, *, misfit: bool
) -> ScalingModel:
    """Return the model, its values beyond the ``last`` scale compared with second opinions."""
    predictions = []
    for number, prediction in enumerate(answer.predictions):
        if prediction.at[0] <= last or prediction.low is None or prediction.high is None:
            predictions.append(prediction)
            continue
        value = seconds.convert(row, number, prediction.value, misfit=misfit)
        predictions.append(
            replace(prediction, value=value, low=min(prediction.low, value), high=max(prediction.high, value))
        )
    return replace(answer, predictions=tuple(predictions)) if predictions else answer


def _weigh_strong(
    models: list[ScalingModel], grid: Grid, data: Aggregated, question: Question, targets: Floats
) -> list[ScalingModel]:
    """Return models of what falls, their values beyond the data weighed with Amdahl's law and a power."""
    if question.space != "default" or not (data.value > 0).all():
        return models
    opinions = strong_opinions(grid.points, data.value, data.u2, data.freedom > 0, targets)
    last = float(grid.points[-1, 0])
    out = []
    for row, model in enumerate(models):
        missed = _relative_miss(model, grid.points[:, 0].tolist(), data.value[row].tolist())
        predictions = []
        for number, prediction in enumerate(model.predictions):
            if prediction.at[0] <= last or prediction.low is None or prediction.high is None:
                predictions.append(prediction)
                continue
            value, low, high = opinions.convert(row, number, prediction.value, missed)
            ends = min(prediction.low, low), max(prediction.high, high)
            predictions.append(Prediction(prediction.at, value, *ends))
        out.append(_include_formula(replace(model, predictions=tuple(predictions))))
    return out


def _relative_miss(model: ScalingModel, scales: Sequence[float], values: Sequence[float]) -> float:
    """Root mean square of the relative distances of the points from the formula, for its free points."""
    free = len(scales) - 1 - len(model.terms)
    misses = [(model.at_measured(x) / value - 1) ** 2 for x, value in zip(scales, values, strict=True)]
    return math.sqrt(sum(misses) / free) if free > 0 else 0.0


def _widen(answer: ScalingModel, upper: Sequence[float], last: float) -> ScalingModel:
    """Return the model, its intervals beyond the ``last`` scale up to what one growth more could reach."""
    if not any(upper):
        return answer
    predictions = [
        replace(prediction, high=high)
        if prediction.at[0] > last and prediction.high is not None and prediction.high < high
        else prediction
        for prediction, high in zip(answer.predictions, upper, strict=True)
    ]
    return replace(answer, predictions=tuple(predictions))


def _include_formula(answer: ScalingModel) -> ScalingModel:
    """Return the model, the value of its formula within each interval: one line says one thing."""
    predictions = []
    for prediction in answer.predictions:
        value = answer.at(*prediction.at)
        if prediction.low is not None and prediction.high is not None and math.isfinite(value):
            low, high = min(prediction.low, max(value, 0.0)), max(prediction.high, value)
            predictions.append(replace(prediction, low=low, high=high))
        else:
            predictions.append(prediction)
    return replace(answer, predictions=tuple(predictions)) if predictions else answer


def _make_prediction(
    target: tuple[float, ...], formula: float, ends: Sequence[float], bounds: tuple[float, float] | None
) -> Prediction:
    """Predict half-way, in logarithms, from the most probable formula to the posterior's median.

    The interval is the posterior's; where nothing is known of what grows, everything that was measured is in
    it too.

    The formula errs less where the truth is in the search space, the average over all models where it is not.
    """
    low, median, high = ends
    value = math.sqrt(formula) * math.sqrt(median) if formula > 0 and median > 0 else median
    least, most = bounds or (value, value)
    return Prediction(target, value, min(low, value, least), max(high, value, most))


def _get_segments(reading: SeriesArrays, source: AnswerSource) -> tuple[Segment, ...]:
    if not source.switched:
        return ()
    scales = reading.grid[:, 0]
    return tuple(
        Segment(
            float(scales[piece.stretch.start]),
            float(scales[piece.stretch.end - 1]),
            float(piece.choices.constant[source.at]),
            piece.choices.terms(source.at),
        )
        for piece in source.pieces
    )


def _get_least_squares(
    group: _Group, readings: list[SeriesArrays], data: Aggregated, question: Question, targets: Floats
) -> list[Answer]:
    """Fit by ``method = "seed001"``: a rank without probability, a prediction without interval."""
    answers: list[Answer] = []
    for row, reading in enumerate(readings):
        series = reading.series
        if len(series.parameters) > 1:
            reason = "method seed001 has one parameter; the default method has up to three"
            answers.append(NotModelled(series.name, series.metric, series.labels, reason))
            continue
        space = question.base_space(group.grid.expectations[0], series.parameters[0])
        squares = seed001.fit(group.grid.points, data.value[row], space)
        answer = ScalingModel(
            name=series.name, metric=series.metric, unit=series.unit, labels=series.labels,
            parameters=series.parameters, points=len(reading.grid), launches=reading.fewest,
            constant=squares.constant, terms=squares.terms(), lead=(squares.growth,), posterior=1.0,
            alternatives=(), aggregate=data.aggregate[row], noise_law=0.0, lack_of_fit=None, r2=squares.r2,
            segments=(), method="seed001", simulated=series.simulated,
        )  # fmt: skip
        values = [answer.at(*map(float, target)) for target in targets]
        predictions = tuple(
            Prediction(tuple(map(float, t)), v, None, None) for t, v in zip(targets, values, strict=True)
        )
        validation = None
        if group.question is not None:
            asymptotic = rank_of_one(squares.growth, group.question, None)
            scale = float(targets[0, 0]) if question.scale else None
            rank_there = rank_of_one(squares.growth, group.question, scale) if scale is not None else None
            validation = validation_of(group.question, squares.growth, asymptotic, scale, rank_there)
        answers.append(replace(answer, predictions=predictions, validation=validation))
    return answers
