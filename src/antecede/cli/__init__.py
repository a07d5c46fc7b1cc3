"""The program `antecede`: one file per verb, no logic. Each verb mirrors a function of the Python API."""

from antecede.cli.app import main

__all__ = ["main"]
