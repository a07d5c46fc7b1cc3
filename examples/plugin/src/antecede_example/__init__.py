"""One of everything that a package can add to antecede; `pyproject.toml` declares it as entry points."""
