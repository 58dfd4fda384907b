"""Claims that no variable of any test is worse than in the first of several files: one family over all."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Better
from steelyard.extensions.exchange.importers.contents import FailedRuns, ImportedSeries
from steelyard.extensions.exchange.recording import FILE
from steelyard.spec.text.origin import visible

BENCHMARK: Final = "benchmark"
"""The factor that tells tests apart."""
MARGIN: Final = 0.02
"""A variable may be worse by this fraction, where nothing else is said."""


class VariableClaims:
    """Makes a claim for each variable of each test that the first side and another one have.

    Parameters
    ----------
    sides : sequence of str
        Names of files, the first of which is the base; empty: all, as they come.
    metrics : collection of str
        Those that are judged; all where there are none.
    margin : float
        By which a variable may be worse, as a fraction; ``margins`` has those of single metrics.
    better : Mapping[str, {"lower", "higher"}]
        Of metrics whose unit does not say it.

    Attributes
    ----------
    gone, new : list of str
        Variables that only the base has, and that it lacks.
    unclear : dict of str
        Metrics that are not judged, since nothing says which way is better.
    failed_runs : dict of str to int
        Runs that failed, by side.
    """

    def __init__(
        self,
        sides: Sequence[str] = (),
        *,
        metrics: Collection[str] = (),
        margin: float = MARGIN,
        margins: Mapping[str, float] | None = None,
        better: Mapping[str, Better] | None = None,
    ) -> None:
        self._sides, self._metrics = tuple(sides), metrics
        self._margin, self._margins = margin, margins or {}
        self.better: Mapping[str, Better] = better or {}
        self.gone: list[str] = []
        self.new: list[str] = []
        self.unclear: dict[str, None] = {}
        self.failed_runs: dict[str, int] = {}

    def _refuse_unknown(self, metrics: Collection[str]) -> None:
        """Refuse options about a metric that no report has."""
        options = (
            *((f"--metric {name}", name) for name in self._metrics),
            *((f"--margin {name}=…", name) for name in self._margins),
            *((f"--better {name}=…", name) for name in self.better),
        )
        for option, name in options:
            if name not in metrics:
                raise UsageError(f"{option}: no report has it", hint=f"metrics: {', '.join(metrics)}")

    def make(self, series: Sequence[ImportedSeries], failures: Sequence[FailedRuns]) -> list[dict[str, Any]]:
        """Return a claim for each test and variable.

        Raises
        ------
        UsageError
            The sides share no variable that can be judged, there is one side only, or an option names none.
        """
        self._refuse_unknown(dict.fromkeys(entry.metric for entry in series))
        present = [_name_side(entry) for entry in series] + [_name_side(entry) for entry in failures]
        base, *heads = self._sides or tuple(dict.fromkeys(present))
        if not heads:
            raise UsageError("there is one side only", hint="name the files of both: old=a.json new=b.json")
        for runs in failures:
            side = _name_side(runs)
            self.failed_runs[side] = self.failed_runs.get(side, 0) + runs.failed + runs.timed_out
        failed = {(_name_test(entry), _name_side(entry)) for entry in failures}
        better = {entry.metric: entry.better for entry in series}
        sides_of: dict[tuple[str, str], set[str]] = {}
        for entry in series:
            sides_of.setdefault((_name_test(entry), entry.metric), set()).add(_name_side(entry))
        claims: list[dict[str, Any]] = []
        for (benchmark, metric), names in sides_of.items():
            if better[metric] == "neither":
                self.unclear[metric] = None
            elif not self._metrics or metric in self._metrics:
                # One that failed has no value, and is no test that is gone.
                sides = names | {side for test, side in failed if test == benchmark}
                claims += self._list_claims(benchmark, metric, sides, base, heads)
        if not claims:
            raise UsageError(
                f"{base} and {', '.join(heads)} share no variable of a test that can be judged",
                hint="--better NAME=higher, for a unit that does not say which way is better"
                if self.unclear
                else "name reports of the same tests",
            )
        return claims

    def _list_claims(
        self, benchmark: str, metric: str, sides: Collection[str], base: str, heads: Sequence[str]
    ) -> Iterator[dict[str, Any]]:
        """Yield a claim for each side that has the variable, where the base has it, too."""
        for head in heads:
            rest = f" of {benchmark}" if benchmark else ""
            title = visible(f"{metric}{rest}" + (f" in {head}" if len(heads) > 1 else ""))
            if base not in sides:
                self.new += [title] * (head in sides)
            elif head not in sides:
                self.gone.append(title)
            else:
                yield {
                    "name": title,
                    "not_slower": {FILE: head},
                    "than": {FILE: base},
                    "by": self._margins.get(metric, self._margin),
                    "metric": metric,
                    "where": {BENCHMARK: benchmark},
                }


def _name_side(entry: ImportedSeries | FailedRuns) -> str:
    return str(entry.levels.get(FILE, ""))


def _name_test(entry: ImportedSeries | FailedRuns) -> str:
    return str(entry.levels[BENCHMARK])
