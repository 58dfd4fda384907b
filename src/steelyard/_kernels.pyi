from typing import Protocol, overload

import numpy as np
from numpy.typing import NDArray

class Elementwise(Protocol):
    @overload
    def __call__(self, *arguments: float) -> float: ...
    @overload
    def __call__(self, *arguments: NDArray[np.float64]) -> NDArray[np.float64]: ...

normal_cdf: Elementwise
normal_quantile: Elementwise
student_cdf: Elementwise
student_quantile: Elementwise
f_cdf: Elementwise
f_sf: Elementwise
chi2_cdf: Elementwise
chi2_quantile: Elementwise
beta_cdf: Elementwise
beta_quantile: Elementwise
binomial_pmf: Elementwise
binomial_cdf: Elementwise
binomial_probability: Elementwise
binomial_order: Elementwise

class Space:
    def __init__(
        self,
        columns: NDArray[np.float64],
        terms: NDArray[np.int32],
        log_prior: NDArray[np.float64],
        group: NDArray[np.int32],
        tau: NDArray[np.float64],
        log_tau_prior: NDArray[np.float64],
        negative_constant: float = 0.1,
    ) -> None: ...
    def search(
        self,
        y: NDArray[np.float64],
        u2: NDArray[np.float64],
        law: NDArray[np.float64],
        freedom: NDArray[np.float64],
        keep: int = 32,
        threads: int = 1,
    ) -> Findings: ...

class Findings:
    candidate: NDArray[np.int32]
    weight: NDArray[np.float64]
    own: NDArray[np.float64]
    chi2: NDArray[np.float64]
    coefficient: NDArray[np.float64]
    covariance: NDArray[np.float64]
    lead: NDArray[np.float64]
    variance: NDArray[np.float64]
    scale: NDArray[np.float64]
    freedom: NDArray[np.float64]
    log_evidence: NDArray[np.float64]

class Numbers:
    def __init__(
        self,
        place: NDArray[np.float64],
        pick: NDArray[np.float64],
        chi: NDArray[np.float64],
        normal: NDArray[np.float64],
        lenient: NDArray[np.uint8],
        off: NDArray[np.float64],
    ) -> None: ...

class Shapes:
    def __init__(
        self, candidate: NDArray[np.int32], members: NDArray[np.int32], miss: NDArray[np.float64]
    ) -> None: ...

class Targets:
    def __init__(
        self, basis: NDArray[np.float64], beyond: NDArray[np.float64], quantile: NDArray[np.float64]
    ) -> None: ...

class Components:
    def __init__(
        self,
        weight: NDArray[np.float64],
        chi2: NDArray[np.float64],
        coefficient: NDArray[np.float64],
        covariance: NDArray[np.float64],
        left: NDArray[np.int64],
        scale: NDArray[np.float64],
        freedom: NDArray[np.float64],
        log_prior: NDArray[np.float64],
    ) -> None: ...
    def discrepancy_share(self) -> NDArray[np.float64]: ...
    def draw(self, numbers: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
    def foresee(
        self, numbers: Numbers, shapes: Shapes, tau: NDArray[np.float64], targets: Targets
    ) -> NDArray[np.float64]: ...

def predict(
    shapes: Shapes,
    component: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    discrepancy: NDArray[np.float64],
    numbers: Numbers,
    target: Targets,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def choose(
    candidate: NDArray[np.int32],
    own: NDArray[np.float64],
    coefficient: NDArray[np.float64],
    members: NDArray[np.int32],
    scale: NDArray[np.float64],
    shown: NDArray[np.uint8],
    kind: NDArray[np.int64],
    best: NDArray[np.int64],
    rounding: NDArray[np.float64],
    basis: NDArray[np.float64],
) -> NDArray[np.int64]: ...
def studentised_mean(
    deviations: NDArray[np.float64], seed: int, resamples: int = 10000, threads: int = 1
) -> NDArray[np.float64]: ...
def studentised_difference(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    seed: int,
    resamples: int = 10000,
    threads: int = 1,
) -> NDArray[np.float64]: ...
def studentised_log_ratio(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    paired: bool,
    seed: int,
    resamples: int = 10000,
    threads: int = 1,
) -> NDArray[np.float64]: ...
def studentised_groups(
    values: NDArray[np.float64],
    start: NDArray[np.int64],
    seed: int,
    resamples: int = 10000,
    threads: int = 1,
) -> NDArray[np.float64]: ...
