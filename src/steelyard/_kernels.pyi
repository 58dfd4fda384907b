import numpy as np
from numpy.typing import NDArray

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
    ) -> tuple[
        NDArray[np.int32],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
    ]: ...
