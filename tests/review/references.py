"""Exports of references for tests of screenings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

REASON = "wrong population"
TOPICS = (
    "chronic back pain exercise therapy trial",
    "aspirin stroke prevention cohort",
    "knee arthroplasty outcome register",
)
WORDS = [
    "patients",
    "study",
    "treatment",
    "group",
    "results",
    "months",
    "effect",
    "score",
    "risk",
    "care",
    "clinic",
    "baseline",
    "scale",
    "week",
    "dose",
    "age",
]


def write_references(path: Path, records: int, *, duplicates: int = 0) -> set[str]:
    """Write records in RIS, the first ones twice with other ids; returns those on back pain, which are relevant."""
    random = np.random.default_rng(5)
    kinds = random.choice(len(TOPICS), records, p=(0.3, 0.35, 0.35))
    blocks = []
    for at, kind in enumerate(kinds.tolist()):
        words = random.choice(WORDS, 30).tolist() + random.choice(TOPICS[kind].split(), 12).tolist()
        random.shuffle(words)
        blocks.append(
            f"TI  - {TOPICS[kind].capitalize()} number {at}\nAU  - Meyer, A.\nAU  - Wang, B.\nJO  - Journal of Pain\n"
            f"PY  - {2000 + at % 20}\nDO  - 10.1000/{at}\nAB  - {' '.join(words).capitalize()}.\nKW  - pain\n"
        )
    names = [
        *((f"W{at}", block) for at, block in enumerate(blocks)),
        *((f"D{at}", blocks[at]) for at in range(duplicates)),
    ]
    path.write_text("".join(f"TY  - JOUR\nID  - {name}\n{block}ER  - \n\n" for name, block in names))
    return {f"W{at}" for at, kind in enumerate(kinds.tolist()) if kind == 0}
