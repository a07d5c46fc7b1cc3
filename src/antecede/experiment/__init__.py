"""One TOML file → collection, index, runs, tables, studies and a report; and the results again from their folder."""

from antecede.experiment.loading import load
from antecede.experiment.outcome import Outcome
from antecede.experiment.running import experiment, planned

load_experiment, run_experiment = load, experiment
"""What the public API calls them: `antecede.experiment` is this room."""

__all__ = ["Outcome", "experiment", "load", "load_experiment", "planned", "run_experiment"]
