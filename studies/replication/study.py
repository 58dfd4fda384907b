#!/usr/bin/env python3
"""Leading terms of the same series from other campaigns, methods and points: ``study.py [--data DIRECTORY]``.

Nothing is run: the points are those of the other studies. Models that ``values/models.csv`` has are not made
again.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import ranking  # noqa: E402 -- what studies share lies beside them
from series import FEWEST, KINDS, Campaign, campaigns, thin  # noqa: E402

CHOSEN: Final = ("all", "smaller half", "every other")
KEY: Final = ("source", "series", "campaign", "method", "points")
COLUMNS: Final = (*KEY, "number", "growth", "rank")


def model(campaign: Campaign, method: str, chosen: str) -> dict[str, object]:
    """The leading term and the rank of some points of a campaign."""
    kind = KINDS[campaign.source]
    points = thin(campaign.points, chosen)
    (named_method,) = (candidate for candidate in ranking.METHODS if candidate == method)
    result = ranking.model_points(
        points,
        campaign.expectation,
        parameter=kind.parameter,
        method=named_method,
        space=kind.space,
        deviation=kind.deviation,
    )
    return {
        **dict(zip(KEY, (*campaign[:3], method, chosen), strict=True)),
        "number": len(points),
        "growth": result.growth(),
        "rank": ranking.rank(result),
    }


def wanted() -> Iterator[tuple[Campaign, str, str]]:
    """Every model: campaigns by all their points, medians by fewer, too; each by both methods."""
    for campaign in campaigns():
        for method in ranking.METHODS:
            for chosen in CHOSEN if campaign.campaign == "medians" else CHOSEN[:1]:
                if len(thin(campaign.points, chosen)) >= FEWEST:
                    yield campaign, method, chosen


def main() -> int:
    """Make what is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=HERE / "values", help="where models are kept")
    data = parser.parse_args().data
    data.mkdir(parents=True, exist_ok=True)
    file = data / "models.csv"
    keys = set()
    if file.exists():
        with file.open(newline="", encoding="utf-8") as lines:
            keys = {tuple(row[key] for key in KEY) for row in csv.DictReader(lines)}
    with file.open("a", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        if not keys:
            writer.writeheader()
        for campaign, method, chosen in wanted():
            if (*campaign[:3], method, chosen) not in keys:
                writer.writerow(model(campaign, method, chosen))
                lines.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
