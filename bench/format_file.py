"""A file of patents in one XML format, one after the other, of any size.

    python -P bench/format_file.py FOLDER MEGABYTES

makes FOLDER/NAME.xml for each format of which the data folder has sample documents (`ANTECEDE_DATA`, else
`../shared/data`), and prints what they contain as JSON. Each repetition has numbers of its own, as in `weekly_file.py`.
Only documents that lxml parses as they are count: the others have no bare parsing to be compared with.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import defaultdict
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n'
DECLARATION = re.compile(rb"\s*<\?xml [^>]*\?>\s*")
ENCODING = re.compile(rb"encoding\s*=\s*[\"']([^\"']+)")
NUMBER = re.compile(
    rb"(<doc-number[^>]*>[^0-9<]*|\bdoc-number=\"[^0-9\"]*|\bucid=\"[A-Z]{2}-[^0-9\"]*|<B110>[^0-9<]*|<DNUM><PDAT>[^0-9<]*)"
    rb"([0-9]+)"
)


def provide(folder: Path, megabytes: int) -> dict[str, dict[str, int]]:
    """Write the files; those that are there already are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / f"formats-{megabytes}.json"
    found = {name: each for name, each in sample_documents().items() if each}
    different = {name: len(each) for name, each in found.items()}
    if manifest.exists():
        present: dict[str, dict[str, int]] = json.loads(manifest.read_text())
        if {name: each["different"] for name, each in present.items()} == different:
            return present
    made = {}
    for name, documents in found.items():
        size = written = 0
        with (folder / f"{name}.xml").open("wb") as out:
            for document in repeated(documents):
                size += out.write(document)
                written += 1
                if size >= megabytes * 1_000_000:
                    break
        made[name] = {"different": len(documents), "documents": written, "bytes": size}
    manifest.write_text(json.dumps(made) + "\n")
    return made


def sample_documents() -> dict[str, list[bytes]]:
    """The documents of the data folder by format."""
    from antecede.corpus.collection import Collection, read_document
    from antecede.corpus.document import RawDocument, Rejected
    from antecede.corpus.formats import by_root

    root = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("ANTECEDE_DATA", root.parent / "shared" / "data")) / "formats"
    found: dict[str, list[bytes]] = defaultdict(list)
    for raw in Collection(folder).raw() if folder.is_dir() else ():
        if not isinstance(raw, RawDocument) or raw.root not in by_root() or not is_plain(raw.data):
            continue
        if not isinstance(read_document(raw), Rejected):
            found[by_root()[raw.root].name].append(HEAD + DECLARATION.sub(b"", raw.data, count=1).rstrip() + b"\n")
    return found


def is_plain(data: bytes) -> bool:
    """Whether a document is XML in UTF-8 that lxml parses as it is."""
    from lxml import etree

    declared = ENCODING.search(data[:200])
    if not data.lstrip().startswith(b"<") or (declared and declared[1].lower() not in (b"utf-8", b"utf8")):
        return False
    try:
        etree.fromstring(data)
    except etree.XMLSyntaxError:
        return False
    return True


def repeated(documents: list[bytes]) -> Iterator[bytes]:
    """The documents over and over; the numbers in them run on."""
    for turn in count():

        def onward(found: re.Match[bytes], turn: int = turn) -> bytes:
            digits = found[2]
            return found[1] + str((int(digits) + turn) % 10 ** len(digits)).zfill(len(digits)).encode()

        for document in documents:
            yield NUMBER.sub(onward, document) if turn else document


if __name__ == "__main__":
    json.dump(provide(Path(sys.argv[1]), int(sys.argv[2])), sys.stdout)
