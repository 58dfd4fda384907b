"""All pairs of an experiment through the protocol, and Holm over each family."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.sample import Sample
from steelyard.core.units import Metric
from steelyard.extensions.protocol_2014.pair import direction_of, examine
from steelyard.extensions.protocol_2014.profile import profile
from steelyard.extensions.protocol_2014.programs import tables_of
from steelyard.extensions.protocol_2014.results import ProtocolAnswer, ProtocolPair, Rules
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.hypothesis.holm import holm


def judge(samples: Sequence[Sample], declared: Analysis) -> ProtocolAnswer:
    """Judge by the rules that an experiment declared; as ``protocol``."""
    return protocol(samples, declared, Rules.make(declared))


def protocol(samples: Sequence[Sample], declared: Analysis, rules: Rules) -> ProtocolAnswer:
    """Examine every declared pair of the primary metric; a family is the pairs of one stratum.

    Raises
    ------
    UsageError
        The declared strata or baseline are not in the samples, as ``pair_up`` says.
    ValueError
        No sample of the primary metric.
    """
    chosen = [sample for sample in samples if sample.metric.name == declared.metric]
    if not chosen:
        raise ValueError(f"no sample of the primary metric {declared.metric!r}")
    metric = chosen[0].metric
    profiles = {id(sample): profile(sample) for sample in chosen}
    examined = [
        examine(pair, profiles[id(pair.baseline)], profiles[id(pair.treatment)], rules)
        for pair in pair_up(chosen, declared).pairs
    ]
    pairs = _list_adjusted(examined, rules, metric, ignore_failures=declared.failures == "ignore")
    return ProtocolAnswer(
        rules, metric, tuple(pairs), tables_of(pairs, declared.strata) if declared.strata else None
    )


def _list_adjusted(
    examined: Sequence[ProtocolPair], rules: Rules, metric: Metric, *, ignore_failures: bool
) -> list[ProtocolPair]:
    families: dict[tuple[tuple[str, object], ...], list[int]] = {}
    for i, pair in enumerate(examined):
        families.setdefault(tuple(pair.stratum.items()), []).append(i)
    result = list(examined)
    for members in families.values():
        testable = [i for i in members if examined[i].p is not None]
        tested = holm([_family_p(examined[i]) for i in testable], rules.alpha)
        adjusted = dict(zip(testable, tested, strict=True))
        for i in members:
            pair, p = examined[i], adjusted.get(i)
            before = pair.p is not None and pair.p <= rules.alpha and "vetoed" not in pair.flags
            after = p is not None and p.rejected
            failed = not {"failures_unequal", "timed_out"}.isdisjoint(pair.flags)
            censored = "crowded" in pair.flags or (failed and not ignore_failures)
            result[i] = replace(
                pair,
                p_holm=p.p_holm if p else None,
                family_size=len(testable) if p else None,
                before=before,
                after=after,
                difference=direction_of(pair, metric.better) if after and not censored else "not_resolved",
            )
    return result


def _family_p(pair: ProtocolPair) -> float:
    return 1.0 if pair.p is None or "vetoed" in pair.flags else pair.p
