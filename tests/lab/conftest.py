"""What tests of the lab share: experiments on small real programs, run into a record."""

from __future__ import annotations

import sys
from pathlib import Path

# For records that nobody ran: made_up, beside the tests of the store; for repositories: scratch_repository.
sys.path.insert(0, str(Path(__file__).parents[1] / "store"))
sys.path.insert(0, str(Path(__file__).parent))

from small_experiments import make_experiment, run_in

__all__ = ["make_experiment", "run_in"]
