"""Print constraints for the releases to test with: `newest` sets none, `oldest` the lower bounds of pyproject.toml."""

import sys
import tomllib
from pathlib import Path

EXTRAS = ("dense", "datasets", "learn", "opensearch")
"""The extras for users; the tools of the tests are always the newest."""

if sys.argv[1] == "oldest":
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    for requirement in sum((project["optional-dependencies"][extra] for extra in EXTRAS), project["dependencies"]):
        print(requirement.replace(">=", "=="))
