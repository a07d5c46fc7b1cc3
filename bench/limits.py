"""The least that any evaluation must do: read the bytes, and split them into columns.

    python -P bench/limits.py read|parse RUN…

prints the seconds as JSON, without those needed to start.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def read(files: list[str]) -> None:
    """Every byte once through a buffer, looked at by nobody. Also brings the files into the page cache."""
    buffer = bytearray(1 << 20)
    for file in files:
        with Path(file).open("rb", buffering=0) as stream:
            while stream.readinto(buffer):
                pass


def parse(files: list[str]) -> None:
    """Polars' reader with the schema known: topic, document and score, nothing done with them."""
    import polars as pl

    text, columns = pl.String(), ("topic_id", "q0", "doc_id", "rank", "score", "tag")
    schema = {name: pl.Float64() if name == "score" else text for name in columns}
    for file in files:
        lines = pl.scan_csv(file, separator=" ", has_header=False, quote_char=None, schema=schema)
        lines.select("topic_id", "doc_id", "score").collect()


if __name__ == "__main__":
    step = {"read": read, "parse": parse}[sys.argv[1]]
    if step is parse:
        import polars  # noqa: F401  its loading is no part of the limit
    begin = time.perf_counter()
    step(sys.argv[2:])
    json.dump({"seconds": time.perf_counter() - begin}, sys.stdout)
