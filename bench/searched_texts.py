"""Real patents as terms, and more of the same made of their paragraphs: what the engines of `search_peers.py` index.

    python -P bench/searched_texts.py PATENTS.jsonl.gz FOLDER DOCUMENTS SEED

writes `texts.jsonl` and `topics.jsonl`, unless FOLDER holds them already, and prints the facts as JSON. The terms are
those of antecede's analyser, so an engine has only to split at blanks. Topics are patents that are not among the texts.

Beyond the real ones, a text is a real patent of which every second paragraph, on average, is replaced by one of another
patent of its class: real words in real company, and hardly two texts alike, which copies would be. These patents come
without IPC, so classes are groups of similar patents. Texts are in the order of their classes, as an index built by a
patent office would be, and every engine has that order.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

TOPICS = 40
IN_A_CLASS = 25
"""Patents in a class, on average."""
Paragraphs = list[str]


def read(source: Path, limit: int) -> list[Paragraphs]:
    """The paragraphs of each patent, as terms."""
    from antecede.text.analyzer import Analyzer

    analyzer, found = Analyzer("en"), []
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for line in lines:
            patent = json.loads(line)
            parts = (patent.get(field) or "" for field in ("title", "abstract", "claims", "description"))
            text = "\n".join(part if isinstance(part, str) else "\n".join(part) for part in parts)
            terms = [" ".join(analyzer.terms(paragraph)) for paragraph in text.split("\n")]
            found.append([each for each in terms if each])
            if len(found) == limit:
                break
    return found


def classify(patents: list[Paragraphs], seed: int) -> list[int]:
    """The class of each patent: groups of similar ones, numbered so that similar groups are neighbours."""
    import numpy as np
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(analyzer=str.split, min_df=2, max_df=0.2, sublinear_tf=True).fit_transform(
        " ".join(each) for each in patents
    )
    small = TruncatedSVD(min(50, min(vectors.shape) - 1), random_state=seed).fit_transform(vectors)
    groups = max(1, len(patents) // IN_A_CLASS)
    model = MiniBatchKMeans(groups, random_state=seed, n_init=1).fit(small)
    order = np.argsort(np.argsort(model.cluster_centers_[:, 0]))
    return [int(order[label]) for label in model.labels_]


def code_of(group: int) -> str:
    """An IPC code for a class."""
    return f"{'ABCDEFGH'[group // 90 % 8]}{10 + group % 90}{'BCDFGHK'[group // 720 % 7]} {1 + group // 5040}/00"


def texts(patents: list[Paragraphs], documents: int, seed: int) -> Iterator[dict[str, Any]]:
    """So many texts of these patents, ordered by class."""
    chance = random.Random(seed)  # noqa: S311
    classes = classify(patents, seed)
    members: dict[int, list[int]] = {}
    for number, group in enumerate(classes):
        members.setdefault(group, []).append(number)
    planned = [(classes[at % len(patents)], chance.random(), at) for at in range(documents)]
    for place, (group, _, at) in enumerate(sorted(planned)):
        own = patents[at % len(patents)]
        if at >= len(patents):
            always = chance.randrange(len(own))
            own = [
                paragraph(patents, members[group], chance) if at == always or chance.random() < 0.5 else each
                for at, each in enumerate(own)
            ]
        yield {
            "doc_id": f"US{3_000_000 + place}",
            "language": "en",
            "ipc": [code_of(group)],
            "publication_date": f"{1990 + chance.randrange(30)}-{chance.randrange(12) + 1:02}-15",
            "description": " ".join(own),
        }


def paragraph(patents: list[Paragraphs], among: list[int], chance: random.Random) -> str:
    """A paragraph of one of some patents."""
    return chance.choice(patents[chance.choice(among)])


def provide(source: Path, folder: Path, documents: int, seed: int) -> dict[str, Any]:
    """Write the files, unless they are there."""
    made_by = hashlib.sha256(Path(__file__).read_bytes()).hexdigest() + f" {documents} {seed} {source.stat().st_size}"
    facts = folder / "facts.json"
    if facts.exists() and (told := json.loads(facts.read_text()))["made_by"] == made_by:
        return dict(told)
    folder.mkdir(parents=True, exist_ok=True)
    facts.unlink(missing_ok=True)
    patents = [each for each in read(source, documents + TOPICS if documents else 0) if each]
    random.Random(seed).shuffle(patents)  # noqa: S311
    topics, rest = patents[:TOPICS], patents[TOPICS:]
    number = documents or len(rest)
    words = 0
    with (folder / "texts.jsonl").open("w", encoding="utf-8") as file:
        for each in texts(rest[:number], number, seed):
            words += each["description"].count(" ") + 1
            file.write(json.dumps(each, ensure_ascii=False) + "\n")
    with (folder / "topics.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"description": " ".join(each)}, ensure_ascii=False) + "\n" for each in topics)
    told = {
        "made_by": made_by,
        "files": [str(folder / "texts.jsonl")],
        "topics": str(folder / "topics.jsonl"),
        "documents": number,
        "real": min(number, len(rest)),
        "words": words / number,
    }
    facts.write_text(json.dumps(told))
    return told


if __name__ == "__main__":
    json.dump(provide(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])), sys.stdout)
