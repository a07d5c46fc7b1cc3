"""Real patents as the engines of the bench read them: 5,000 full texts, twenty times over under other names.

python -P bench/real_texts.py PATENTS.jsonl.gz OUT.jsonl
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

TIMES = 20
FIELDS = ("title", "abstract", "claims", "description")


def text_of(patent: dict[str, Any]) -> str:
    """All of its text, one field behind the other."""
    parts = (patent.get(field) or "" for field in FIELDS)
    return "\n".join(part if isinstance(part, str) else "\n".join(part) for part in parts)


def write(source: Path, out: Path) -> None:
    """Write the patents, unless they are there."""
    if out.exists():
        return
    fresh = out.with_suffix(".unfinished")
    number = 3_000_000
    with fresh.open("w", encoding="utf-8") as file:
        for _ in range(TIMES):
            with gzip.open(source, "rt", encoding="utf-8") as lines:
                for line in lines:
                    patent = {"doc_id": f"US{number}", "language": "en", "description": text_of(json.loads(line))}
                    file.write(json.dumps(patent) + "\n")
                    number += 1
    fresh.replace(out)


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
