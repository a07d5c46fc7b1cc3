"""A file of US patents, one behind the other as the USPTO ships them each week, of any size.

    python -P bench/weekly_file.py FILE MEGABYTES SEED

makes it unless it is there already, and prints its manifest as JSON. Real patents are repeated where the data folder
has them (`ANTECEDE_DATA`, else `../shared/data`); elsewhere patents of the same shape are written. Each repetition has
numbers of its own, published and cited, since a reader may remember those it has met.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n'
PATENT = re.compile(rb"<us-patent-(?:grant|application)[ >]")
NUMBER = re.compile(rb"(<doc-number>[^0-9<]*)([0-9]+)(?=</doc-number>)")
WRITTEN = 200
"""Patents of our own that are repeated."""
WORDS = (
    *("valve", "body", "spring", "member", "housing", "shaft", "bearing", "pump", "fluid", "pressure", "signal"),
    *("circuit", "controller", "sensor", "surface", "layer", "first", "second", "upper", "lower", "inner", "outer"),
    *("plurality", "portion", "element", "embodiment", "example", "figure", "connected", "mounted", "arranged"),
    *("formed", "disposed", "coupled", "provided", "comprises", "includes", "moves", "closes", "opens", "holds"),
    *("the", "the", "the", "a", "a", "of", "of", "to", "in", "and", "with", "by", "from", "between", "such", "that"),
)


def provide(file: Path, megabytes: int, seed: int) -> dict[str, object]:
    """Write the file, whole or not at all; it is made anew when what it is made of has changed."""
    real = [*real_documents()]
    documents = real or [*written_documents(seed)]
    wanted = {"megabytes": megabytes, "seed": seed, "real": bool(real), "different": len(documents)}
    manifest = file.with_suffix(".json")
    present = json.loads(manifest.read_text()) if manifest.exists() and file.exists() else {}
    if present.items() >= wanted.items() and file.stat().st_size == present["bytes"]:
        return dict(present)
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".unfinished")
    size = written = 0
    with fresh.open("wb") as out:
        for document in repeated(documents):
            size += out.write(document)
            written += 1
            if size >= megabytes * 1_000_000:
                break
    fresh.replace(file)
    made: dict[str, object] = {**wanted, "bytes": size, "documents": written}
    manifest.write_text(json.dumps(made) + "\n")
    return made


def real_documents() -> Iterator[bytes]:
    """The red-book patents of the data folder."""
    root = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("ANTECEDE_DATA", root.parent / "shared" / "data")) / "formats" / "uspto-redbook"
    for file in sorted(folder.glob("*.xml")):
        for piece in file.read_bytes().split(b"<?xml ")[1:]:
            document = b"<?xml " + piece
            if PATENT.search(document[:1000]):
                yield document if document.endswith(b"\n") else document + b"\n"


def repeated(documents: list[bytes]) -> Iterator[bytes]:
    """The documents over and over; the numbers in them run on."""
    for turn in count():

        def onward(found: re.Match[bytes], turn: int = turn) -> bytes:
            digits = found[2]
            return found[1] + str((int(digits) + turn) % 10 ** len(digits)).zfill(len(digits)).encode()

        for document in documents:
            yield NUMBER.sub(onward, document) if turn else document


def written_documents(seed: int) -> Iterator[bytes]:
    """Patents of our own: a front page with twenty citations, sixty paragraphs, a table, fifteen claims."""
    chance = random.Random(seed)  # noqa: S311  not for secrets
    for place in range(WRITTEN):
        yield HEAD + written_document(chance, 7_000_000 + place).encode()


def written_document(chance: random.Random, number: int) -> str:
    def words(least: int, most: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(least, most)))

    def document_id(digits: object, kind: str) -> str:
        return (
            f"<document-id>\n<country>US</country>\n<doc-number>{digits}</doc-number>\n<kind>{kind}</kind>\n"
            "<date>20060214</date>\n</document-id>\n"
        )

    cited = "".join(
        f'<citation>\n<patcit num="{place:05d}">\n{document_id(chance.randint(4_000_000, 6_999_999), "A")}</patcit>\n'
        "<category>cited by examiner</category>\n<classification-national><country>US</country>"
        "<main-classification>251129</main-classification></classification-national>\n</citation>\n"
        for place in range(20)
    )
    paragraphs = "".join(
        f'<p id="p-{place:04d}" num="{place:04d}">In <figref idref="DRAWINGS">FIG. <b>{place}</b></figref>, the '
        + "".join(f"{words(10, 30)} <b>{part}</b> " for part in range(10, 16))
        + "holds H<sub>2</sub>O.</p>\n"
        for place in range(60)
    )
    rows = "".join(f"<row>\n<entry>{words(1, 3)}</entry>\n<entry>{place}</entry>\n</row>\n" for place in range(12))
    claims = "".join(
        f'<claim id="CLM-{place:05d}" num="{place:05d}">\n<claim-text>{place}. A {words(10, 30)}, comprising:\n'
        f"<claim-text>{words(8, 30)}; and</claim-text>\n<claim-text>{words(8, 30)}.</claim-text>\n"
        "</claim-text>\n</claim>\n"
        for place in range(1, 16)
    )
    return (
        '<!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v42-2006-08-23.dtd" [ ]>\n'
        '<us-patent-grant lang="EN" dtd-version="v4.2 2006-08-23" country="US">\n<us-bibliographic-data-grant>\n'
        f"<publication-reference>\n{document_id(f'{number:08d}', 'B2')}</publication-reference>\n"
        f"<application-reference>\n{document_id(number + 3_000_000, 'A')}</application-reference>\n"
        "<classifications-ipcr>\n<classification-ipcr>\n<section>F</section>\n<class>16</class>\n<subclass>K</subclass>\n"
        "<main-group>31</main-group>\n<subgroup>06</subgroup>\n</classification-ipcr>\n</classifications-ipcr>\n"
        f"<invention-title>{words(3, 9)}</invention-title>\n<references-cited>\n{cited}</references-cited>\n"
        "<parties>\n<applicants>\n<applicant app-type='applicant-inventor'>\n<addressbook>\n"
        "<last-name>Baker</last-name>\n<first-name>Ann</first-name>\n</addressbook>\n</applicant>\n</applicants>\n</parties>\n"
        f"</us-bibliographic-data-grant>\n<abstract>\n<p>{words(60, 120)}</p>\n</abstract>\n"
        f"<description>\n<heading>FIELD</heading>\n{paragraphs}<p><tables>\n<table>\n<tgroup>\n<tbody>\n{rows}</tbody>\n"
        f"</tgroup>\n</table>\n</tables></p>\n</description>\n<claims>\n{claims}</claims>\n</us-patent-grant>\n"
    )


if __name__ == "__main__":
    json.dump(provide(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])), sys.stdout)
