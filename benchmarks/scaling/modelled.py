"""Every function of a benchmark has a model; anything else ends the benchmark."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.extensions.growth.scaling import NotModelled, ScalingModel


def models_of(answers: Iterable[ScalingModel | NotModelled]) -> list[ScalingModel]:
    """The models.

    Raises
    ------
    ValueError
        A function has none.
    """
    models = []
    for answer in answers:
        if isinstance(answer, NotModelled):
            raise ValueError(f"{answer.name}: {answer.reason}")  # noqa: TRY004 the type is right, the data are not
        models.append(answer)
    return models
