"""The program `antecede`: verbs by theme, each of which calls the function of its name in the Python API."""

from antecede.cli.app import main

__all__ = ["main"]
