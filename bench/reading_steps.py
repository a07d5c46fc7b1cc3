"""Reading a file of patents, and the least that any reader of XML must do.

    python -P bench/reading_steps.py bare|split|read FILE

`bare` lets lxml parse each document, `split` cuts the file into documents as antecede does, `read` makes records of
them. Each prints documents, rejected ones, seconds and processor seconds as JSON, without those needed to start.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

MARK = b"<?xml version"
BLOCK = 1 << 22


def bare(file: str) -> tuple[int, int]:
    """lxml and nothing else: no check, no record, the documents cut at their first words."""
    from lxml import etree

    documents, rest = 0, b""
    with Path(file).open("rb") as stream:
        while block := stream.read(BLOCK):
            *whole, rest = (rest + block).split(MARK)
            for each in filter(None, whole):
                etree.fromstring(each.partition(b"?>")[2])
                documents += 1
    etree.fromstring(rest.partition(b"?>")[2])
    return documents + 1, 0


def split(file: str) -> tuple[int, int]:
    from antecede.corpus.collection import Collection
    from antecede.corpus.document import Rejected

    kinds = [0, 0]
    for each in Collection(file).raw():
        kinds[isinstance(each, Rejected)] += 1
    return kinds[0], kinds[1]


def read(file: str) -> tuple[int, int]:
    from antecede.corpus.collection import Collection

    collection = Collection(file)
    documents = sum(1 for _ in collection.documents())
    return documents, collection.ledger.rejected


STEPS = {"bare": bare, "split": split, "read": read}


def loaded(step: str) -> None:
    """Loading the code is no part of the work."""
    if step == "bare":
        import lxml.etree  # noqa: F401
    else:
        from antecede.corpus.formats import FORMATS

        FORMATS.load()


if __name__ == "__main__":
    loaded(sys.argv[1])
    begin, used = time.perf_counter(), time.process_time()
    found, rejected = STEPS[sys.argv[1]](sys.argv[2])
    times = {"seconds": time.perf_counter() - begin, "cpu": time.process_time() - used}
    json.dump({"documents": found, "rejected": rejected, **times}, sys.stdout)
