"""Experiments: one TOML file → collection, index, runs, tables, studies and a report; saved results are loaded."""

from antecede.experiment.outcome import Outcome, load_experiment
from antecede.experiment.steps import plan_experiment, run_experiment

__all__ = ["Outcome", "load_experiment", "plan_experiment", "run_experiment"]
