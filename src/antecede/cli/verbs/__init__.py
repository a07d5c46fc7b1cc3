"""The verbs by theme: each is a function of the same name in a module of a theme."""


def _group(name: str, *verbs: str) -> dict[str, tuple[str, ...]]:
    """A module whose verbs have two words."""
    return {name: tuple(f"{name} {verb}" for verb in verbs)}


SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "Search": {
        "open": ("open",),
        "search": ("search", "run", "query", "show", "serve"),
        "index": ("index", "add", "merge", "verify", "info"),
        **_group("learn", "weights", "space", "translations"),
    },
    "Review": {
        **_group("review", "start", "next", "mark", "status", "stop", "calibrate", "simulate"),
        "screening": tuple(
            f"review {verb}" for verb in ("conflicts", "resolve", "agreement", "prisma", "history", "open")
        ),
        "case": tuple(f"review {verb}" for verb in ("list", "export", "import", "user")),
    },
    "Evaluate": {"evaluate": ("evaluate", "compare", "audit", "fuse", "gate", "export")},
    "Study": _group(
        *("study", "robustness", "agreement", "correlation", "cutoffs", "measures"),
        *("equivalence", "bayes", "power", "tukey", "mixed", "intervals", "reproducibility"),
        *("judges", "retrievability", "query-length", "published"),
    ),
    "Data": {"data": ("demo", "experiment", "topics", "synthesize")},
    "Reference": _group("list", "measures", "methods", "models", "features", "formats", "rules", "estimators"),
}
"""The headings of the help, the modules under each, and the verbs of each module in the order of the help."""
