"""A small collection in which every feature has something to say, built once in several ways."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = (
    "axle", "bolt", "cam", "disc", "gear", "hub", "lever", "motor", "nozzle", "piston", "rotor", "shaft", "spring",
    "turbine", "valve", "wheel", "antenna", "battery", "circuit", "diode", "laser", "lens", "mirror", "sensor",
    "signal", "transistor",
)  # fmt: skip
CODES = ("F16H 1/02", "F16H 1/04", "F16H 57/00", "F16D 3/00", "H04L 12/56", "H04L 45/00", "G02B 5/00")
APPLICANTS = ("Gears & Co.", "GEARS CO", "Optics AG", "Signal Inc.")
DOCUMENTS = 60
EVERY_FEATURE = (
    "bm25=1,jelinek_mercer=0.7,feedback=0.9,cosine=0.3,latent_space=0.9,word_vectors=0.2,title=0.4,classes=0.6,"
    "cited_by_hits=1.1,citing_hits=0.2,co_citation=0.5,same_applicant=0.1,date_distance=0.15,classic=0.8,"
    "sentence_vectors=0.1,bigrams=0.3"
)


def name_of(number: int) -> str:
    """The name of a document."""
    return f"EP{1000000 + number}"


def documents(*, without_links_of: str | None = None) -> list[dict[str, Any]]:
    """The documents, later ones citing earlier ones; a patent may be made to cite nothing and to be cited by none."""
    return [*make_documents(without_links_of)]


def make_documents(alone: str | None) -> Iterator[dict[str, Any]]:
    chance = random.Random(5)  # noqa: S311 - the same collection each time
    for number in range(DOCUMENTS):
        topic = chance.sample(WORDS, 7)
        text = " ".join(chance.choice(topic) for _ in range(40)) + f" {chance.choice(WORDS)}"
        cited = [name_of(each) for each in sorted({chance.randrange(number) for _ in range(4)})] if number else []
        line: dict[str, Any] = {
            "doc_id": name_of(number),
            "language": "en",
            "title": " ".join(topic[:3]),
            "description": {"en": text},
            "ipc": chance.sample(CODES, 2),
            "applicants": [chance.choice(APPLICANTS)],
            "citations": [] if name_of(number) == alone else [{"number": each} for each in cited if each != alone],
        }
        if number % 7:  # some have no date
            line["publication_date"] = f"{1990 + number // 3}-0{1 + number % 3}-11"
        if number % 5 == 0:  # some have no class
            line["ipc"] = []
        if number % 10 in (3, 4):
            line["family_id"] = f"F{number // 10}"
        yield line


def own_links(topic: int, share: float) -> list[dict[str, Any]]:
    """The documents, with the links of a topic or, for a share of 0, without."""
    return documents(without_links_of=None if share else name_of(topic))


def family_links(topic: int, share: float) -> list[dict[str, Any]]:
    """The documents, a share of them linked with the members of a topic's family, which has no other links."""
    chance, lines = random.Random(topic), documents()  # noqa: S311 - the same collection each time
    family = {54: (54, 53, 21, 7), 41: (41, 42, 50)}[topic]
    names = {name_of(number) for number in family}
    for number, line in enumerate(lines):
        line["citations"] = [each for each in line["citations"] if each["number"] not in names]
        linked = family
        if number in family:
            line["family_id"], line["citations"], linked = "one family", [], tuple(range(len(lines)))
        line["citations"] += [{"number": name_of(n)} for n in linked if n != number and chance.random() < share]
    return lines


def copy_links(topic: int, share: float) -> list[dict[str, Any]]:
    """The documents with two earlier copies of a topic, of no family, with which a share of all documents is linked.

    One has the very text of the topic, the other one word more and one less. The topic itself has no links.
    """
    chance, lines = random.Random(topic), documents(without_links_of=name_of(topic))  # noqa: S311 - the same each time
    text = lines[topic]["description"]["en"].split()
    for number, words in ((DOCUMENTS, text), (DOCUMENTS + 1, [*text[1:], "novelword"])):
        copy = {**lines[topic], "doc_id": name_of(number), "description": {"en": " ".join(words)}}
        copy["citations"] = [{"number": name_of(n)} for n in range(DOCUMENTS) if chance.random() < share]
        copy.pop("family_id", None)
        if "publication_date" in copy:
            copy["publication_date"] = "1991-01-01"
        lines.append(copy)
    for line in lines[:DOCUMENTS]:
        linked = share > 0 and line["doc_id"] != name_of(topic)
        line["citations"] += [
            {"number": name_of(DOCUMENTS + n)} for n in range(2) if linked and chance.random() < share
        ]
    return lines
