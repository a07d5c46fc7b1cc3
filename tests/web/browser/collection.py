"""The collection that the browser tests search: synthetic patents, and a few with markup wherever a text can be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import antecede as ac
from antecede.synthetic import synthesize

if TYPE_CHECKING:
    from pathlib import Path

PATENTS, SEED = 160, 6
ATTACK = "<img src=x onerror=window.attacked=1><script>window.attacked=1</script><svg onload=window.attacked=1>"
"""Markup that sets a variable of the page if it is ever taken for markup."""


def build(folder: Path) -> list[dict[str, Any]]:
    """Make an index of the collection, `index`, in a folder; the topics as records."""
    synthesize(folder / "made", PATENTS, SEED, form="jsonl")
    patents, topics = (
        [each.to_dict() for each in ac.Collection(folder / "made" / name).patents()]
        for name in ("collection", "topics")
    )
    extra = [*hostile(patents[0], topics[0]), undated(patents[1]), *relatives(patents[2])]
    (folder / "all.jsonl").write_text("".join(json.dumps(each) + "\n" for each in [*patents, *extra, topics[0]]))
    ac.index.build(ac.Collection(folder / "all.jsonl"), folder / "index", workers=1)
    return topics


def hostile(patent: dict[str, Any], topic: dict[str, Any]) -> list[dict[str, Any]]:
    """A patent that every search for the topic finds, with markup in each of its texts and names."""
    texts = {
        "title": {"en": f"Attack {ATTACK} device"},
        "abstract": {"en": f"{ATTACK} {topic['abstract'].get('en', '')}"},
        "description": {"en": f"{ATTACK}\n{topic['description']['en']}"},
        "claims": {"en": [f"1. {ATTACK} {(topic['claims'].get('en') or ['A device.'])[0]}"]},
        "applicants": [f"Evil {ATTACK}"],
        "inventors": [ATTACK],
    }
    return [
        {
            **patent,
            **texts,
            "doc_id": "EP9000001",
            "number": "EP-9000001-A1",
            "family_id": None,
            "publication_date": "1985-01-01",
        }
    ]


def undated(patent: dict[str, Any]) -> dict[str, Any]:
    """A patent without any date."""
    dates = dict.fromkeys(("publication_date", "filing_date", "priority_date"))
    return {**patent, **dates, "doc_id": "EP9000002", "number": "EP-9000002-A1", "family_id": None}


def relatives(patent: dict[str, Any]) -> list[dict[str, Any]]:
    """Two members of one family."""
    return [{**patent, "doc_id": f"EP900000{at}", "number": f"EP-900000{at}-A1", "family_id": "F1"} for at in (3, 4)]
