"""Numbers of the draft held to each other."""

from __future__ import annotations

from typing import Final

from declarations import Answer, Data

PRINTED: Final = "published.csv"
TENTH: Final = 0.1


def numbers(data: Data) -> dict[str, float]:
    """What the draft states, by name."""
    return {row["name"]: float(row["value"]) for row in data.table(PRINTED)}


def averages(data: Data) -> Answer:
    """Whether rates over machines and over processors are what one is said to add, within a tenth."""
    stated = numbers(data)
    pairs = (
        ("rate on 60 machines", "machines", "rate a machine"),
        ("rate of the XMT", "processors of the plateau", "rate a processor"),
    )
    texts, close = [], True
    for rate, nodes, slope in pairs:
        mean = stated[rate] / stated[nodes]
        texts.append(f"{stated[rate]:g} / {stated[nodes]:g} = {mean:.2f}, {stated[slope]:g} stated")
        close = close and abs(mean / stated[slope] - 1) <= TENTH
    return Answer("; ".join(texts), "holds" if close else "fails")


def networks(data: Data) -> Answer:
    """Whether rates of requests differ as searches do, within a tenth."""
    stated = numbers(data)
    ratio, searches = (
        stated["requests of the XMT"] / stated["requests of Grappa"],
        stated["searches of the XMT over Grappa"],
    )
    close = abs(ratio / searches - 1) <= TENTH
    return Answer(f"{ratio:g} × the requests, {searches:g} × the searches", "holds" if close else "fails")


def raw_share(data: Data) -> Answer:
    """Whether the aggregated share over the gain is the share that raw messages have at most."""
    stated = numbers(data)
    share = stated["share of the peak with aggregation"] / stated["aggregated over raw"]
    text = f"{share:.1f} %, less than {stated['share of the peak without']:g} % stated"
    return Answer(text, "holds" if share < stated["share of the peak without"] else "fails")
