"""Blocks: which treatments run next, in which order, under which context.

A block depends on the seed, its id and, in several passes, on which visits are still wanting; never on the
moment at which it is asked for. One pass: the blocks that count visit contexts 1, 2, 3, … whatever becomes of
them, so an incomplete block is followed by one in a new context. Several passes: contexts come in rounds that
end at a look; in each pass of a round every context of the round is visited once, in random order; visits
that stayed incomplete are repeated at the end of the round, those with the fewest attempts first.

A factor that is hard to change makes whole plots: within a block its levels follow each other in random
order, each with all of its treatments. A block has each whole plot once, set up again, so the differences
between blocks hold what setting up does, and blocks are the units for such a factor as for all others (a
split-plot design in blocks; Montgomery, Design and Analysis of Experiments, section 14.4).

Discarded blocks come first and borrow context 1: they warm what the first block finds, and draw nothing.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from steelyard.core.sample import Treatment
from steelyard.core.units import Scalar
from steelyard.design.contexts import draw_context
from steelyard.design.looks import IN_ROWS, last_look, looks
from steelyard.design.plan import Block, BlockOutcome, Extension
from steelyard.design.randomness import generator, permutation
from steelyard.spec.experiment import Contexts, Experiment

Visit = tuple[int, int]
"""Context and pass, both from 1."""


def next_block(
    experiment: Experiment,
    treatments: Sequence[Treatment],
    past: Sequence[BlockOutcome],
    blocks: int | None = None,
    extensions: Sequence[Extension] = (),
) -> Block | None:
    """Return the block after ``past``, or ``None`` where enough of them count.

    Parameters
    ----------
    past : sequence of BlockOutcome
        Every block so far, in order; one that is only planned is taken for a complete one.
    blocks : int, optional
        How many complete blocks are enough, discarded ones not counted; by default as many as the design has
        at most, which is for the caller to end at a look. A sequential order has one block, whatever is
        wanted.
    extensions : sequence of Extension
        Of the record, in order.
    """
    if blocks is None:
        blocks = extensions[-1].to_blocks if extensions else last_look(experiment)
    if blocks is not None and not _compute_wanting(experiment, past, blocks):
        return None
    return next(_list_upcoming(experiment, treatments, past, extensions))


def blocks_until(
    experiment: Experiment,
    treatments: Sequence[Treatment],
    past: Sequence[BlockOutcome],
    blocks: int,
    extensions: Sequence[Extension] = (),
) -> tuple[Block, ...]:
    """Blocks that ``next_block`` gives one by one until ``blocks`` blocks count, if none stays incomplete."""
    return tuple(stream_until(experiment, treatments, past, blocks, extensions))


def stream_until(
    experiment: Experiment,
    treatments: Sequence[Treatment],
    past: Sequence[BlockOutcome],
    blocks: int,
    extensions: Sequence[Extension] = (),
) -> Iterator[Block]:
    """Yield the blocks of ``blocks_until``, each drawn when it is asked for."""
    return itertools.islice(
        _list_upcoming(experiment, treatments, past, extensions), _compute_wanting(experiment, past, blocks)
    )


def trials_per_block(experiment: Experiment, treatments: Sequence[Treatment]) -> int:
    """Trials in the largest block: what the number of a trial is counted with."""
    rounds = experiment.design.blocks if experiment.design.order == "sequential" else 1
    return len(treatments) * experiment.design.replicates * rounds


def _compute_wanting(experiment: Experiment, past: Sequence[BlockOutcome], blocks: int) -> int:
    """Return the number of blocks still to run, discarded ones included."""
    design = experiment.design
    count = min(blocks, 1) if design.order == "sequential" else blocks
    done = sum(not outcome.block.discard and outcome.state != "incomplete" for outcome in past)
    if design.order == IN_ROWS:
        wasted = sum(outcome.block.discard for outcome in past)
        run = design.blocks * design.replicates
        rest = -(-blocks // run) * design.discard - wasted
        return blocks - done + max(0, rest) if blocks > done else 0
    return count - done + max(0, design.discard - len(past)) if count > done else 0


def _list_upcoming(
    experiment: Experiment,
    treatments: Sequence[Treatment],
    past: Sequence[BlockOutcome],
    extensions: Sequence[Extension],
) -> Iterator[Block]:
    """Yield the blocks after ``past``, without end, if none of them stays incomplete."""
    design, contexts = experiment.design, experiment.contexts
    if design.order == IN_ROWS:
        yield from _list_rows(experiment, treatments, past)
        return
    counting = [outcome for outcome in past if not outcome.block.discard]
    visits = _list_visits(experiment, counting, extensions)
    for number in itertools.count(len(past) + 1):
        discard = number <= design.discard
        context, pass_ = (1, 1) if discard else next(visits)
        drawn = draw_context(contexts, design.seed, context) if contexts else None
        yield Block(number, pass_, drawn, _order(experiment, treatments, number, discard=discard), discard)


def _list_rows(
    experiment: Experiment, treatments: Sequence[Treatment], past: Sequence[BlockOutcome]
) -> Iterator[Block]:
    """Yield each run as a block of its own.

    The runs of one treatment come in a row, those to discard first, then the next treatment's. The k-th run
    of every treatment is in the k-th context. What stayed incomplete is run again before its row ends.
    """
    design, contexts = experiment.design, experiment.contexts
    done = Counter(
        (outcome.block.order[0], outcome.block.discard) for outcome in past if outcome.state != "incomplete"
    )
    number = itertools.count(len(past) + 1)
    for treatment in itertools.chain.from_iterable(whole_plots(experiment, treatments)):
        for discard, runs in ((True, design.discard), (False, design.blocks * design.replicates)):
            for place in range(done[treatment, discard], runs):
                drawn = draw_context(contexts, design.seed, 1 if discard else place + 1) if contexts else None
                yield Block(next(number), 1, drawn, (treatment,), discard)


def _order(
    experiment: Experiment, treatments: Sequence[Treatment], number: int, *, discard: bool
) -> tuple[int, ...]:
    design = experiment.design
    ids = [treatment.id for treatment in treatments]
    if design.order == "sequential":
        runs = design.replicates * (1 if discard else design.blocks)
        return tuple(
            treatment
            for plot in whole_plots(experiment, treatments)
            for treatment in plot
            for _ in range(runs)
        )
    if len(ids) * design.replicates == 1:
        # Nothing to draw, and a generator takes 5 µs, a fifth of the shortest program.
        return tuple(ids)
    if experiment.hard:
        return tuple(_split_plot(experiment, treatments, number))
    return tuple(permutation(ids * design.replicates, generator(design.seed, "order", number)))


def _split_plot(experiment: Experiment, treatments: Sequence[Treatment], number: int) -> Iterator[int]:
    """Yield the whole plots in random order, and in random order what is within each."""
    design = experiment.design
    plots = list(enumerate(whole_plots(experiment, treatments)))
    for place, plot in permutation(plots, generator(design.seed, "plots", number)):
        yield from permutation(plot * design.replicates, generator(design.seed, "order", number, place))


def whole_plots(experiment: Experiment, treatments: Sequence[Treatment]) -> list[list[int]]:
    """Treatments that share the levels of all factors that are hard to change; one plot where none is."""
    plots: dict[tuple[Scalar, ...], list[int]] = {}
    for treatment in treatments:
        plots.setdefault(tuple(treatment.levels[name] for name in experiment.hard), []).append(treatment.id)
    return list(plots.values())


def _list_visits(
    experiment: Experiment, counting: Sequence[BlockOutcome], extensions: Sequence[Extension]
) -> Iterator[Visit]:
    """Yield the visits after those of ``counting``, without end."""
    contexts = experiment.contexts
    if contexts is None or contexts.passes == 1:
        yield from ((context, 1) for context in itertools.count(len(counting) + 1))
        return
    visits = [((o.block.context.id, o.block.pass_), o.state) for o in counting if o.block.context is not None]
    attempts = Counter(visit for visit, _ in visits)
    settled = {visit for visit, state in visits if state != "incomplete"}
    for schedule in _list_rounds(experiment, contexts, extensions):
        yield from sorted((visit for visit in schedule if visit not in settled), key=attempts.__getitem__)


def _list_rounds(
    experiment: Experiment, contexts: Contexts, extensions: Sequence[Extension]
) -> Iterator[list[Visit]]:
    """Yield the visits of each round in order, without end."""
    first = 1
    for number, end in enumerate(_list_ends(experiment, extensions)):
        numbers = range(first, end // contexts.passes + 1)
        yield [
            (context, pass_)
            for pass_ in range(1, contexts.passes + 1)
            for context in permutation(numbers, generator(experiment.design.seed, "pass", number, pass_))
        ]
        first = numbers.stop


def _list_ends(experiment: Experiment, extensions: Sequence[Extension]) -> Iterator[int]:
    """Where rounds end: at the looks, and at the ends of extensions.

    A round that was begun when time ran out is finished first.
    """
    end = 0
    for look in looks(experiment):
        end = look
        yield end
        if extensions and end >= extensions[0].from_blocks:
            break
    for extension in extensions:
        if extension.to_blocks > end:
            end = extension.to_blocks
            yield end
    yield from (end * factor for factor in itertools.count(2))
