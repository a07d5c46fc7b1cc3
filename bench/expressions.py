"""Boolean expressions: the sets that a plain reading of every text finds, and the time of each beside Lucene's.

    python -P bench/expressions.py grow PATENTS.jsonl.zst OUT.jsonl DOCUMENTS SEED
    python -P bench/expressions.py reference INDEX [STEP]
    python -P bench/expressions.py contest INDEX FOLDER

`grow` writes as many patents as are wanted from some: title, abstract and claims of one, the sentences of its
description mixed with those of another. `reference` compares the documents of every expression with those that a plain
reading of the texts finds. `contest` builds Lucene's index of the same words at the same places in a folder (each word
as written and its term at one place), and measures for each expression the documents and the best milliseconds of both.
The figures replace those of this part in bench/results.csv, and the page is written again.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import zstandard

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.engine_process import HEAP, LIBRARY, java_version
from bench.section import Section, Table

from antecede.conditions.parser import parse_expression
from antecede.embedded.engine import EmbeddedEngine
from antecede.embedded.evaluation import CACHE_KEY, find_documents
from antecede.opensearch.clauses import Clauses
from antecede.opensearch.layout import words_field
from antecede.opensearch.sender import Sender
from bench import results

if TYPE_CHECKING:
    from collections.abc import Iterator

EXPRESSIONS = (
    "semiconductor", "the", "radar OR sonar", "pressure AND valve NOT engine", "NOT method",
    '"semiconductor device"', '"the first"', '"of the"', '"printed circuit board"', '"in accordance with the"',
    '"internal combustion engine" OR "electric motor"', '"light emitting diode*"',
    "valve NEAR/5 pressure", "valve ADJ/3 seat", "first NEAR/3 second", "the NEAR/5 of", "memory NEAR/10 cell",
    "(radar OR sonar) NEAR/10 (antenna* OR array*)", '"the first" NEAR/20 "the second"', "signal NEAR/2 signal",
    "pressur*", "co*", "polym?r*", "comput* AND network*", "semicond* NEAR/4 layer*",
    "ti:semiconductor", "ti:(method NEAR/6 apparatus)", 'cl:"according to claim"', "ab:(signal OR data) NOT cl:signal",
    '(ti:circuit OR ab:"integrated circuit") AND cl:(transistor* NEAR/8 gate) NOT de:"field effect"',
)  # fmt: skip
ROUNDS = 7
FIELDS = ("title", "abstract", "claims", "description")
LANGUAGE = "en"
AT_ONCE = 500


def grow(source: str, out: str, documents: int, seed: int) -> None:
    """Write patents mixed from those of a file."""
    with Path(source).open("rb") as file:
        lines = [*io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8")]
    random = np.random.default_rng(seed)
    with Path(out).open("w", encoding="utf-8") as grown:
        for number in range(documents):
            one, other = (json.loads(lines[at]) for at in random.integers(0, len(lines), 2))
            mixed = dict(one, doc_id=f"US{20_000_000 + number}", number=None, citations=[])
            sentences = [*_sentences(one), *_sentences(other)]
            chosen = np.flatnonzero(random.random(len(sentences)) < 0.5).tolist()
            mixed["description"] = {LANGUAGE: ". ".join(sentences[at] for at in chosen)}
            grown.write(json.dumps({name: value for name, value in mixed.items() if value is not None}) + "\n")


def _sentences(patent: dict[str, Any]) -> list[str]:
    description = patent.get("description") or ""
    text = description if isinstance(description, str) else description.get(LANGUAGE, "")
    return text.split(". ")


def documents_of(index: EmbeddedEngine, text: str) -> tuple[np.ndarray[Any, Any], float]:
    """Which documents meet an expression, and the best milliseconds in which they are found without what is kept."""
    node, best = parse_expression(text), float("inf")
    for _ in range(ROUNDS):
        index.cache.pop(CACHE_KEY, None)
        begun = time.perf_counter()
        masks = [find_documents(index, segment, node) & segment.live for segment in index.segments]
        best = min(best, 1000 * (time.perf_counter() - begun))
    return np.concatenate(masks), best


def reference(folder: str, step: int = 1) -> None:
    """Compare the documents of every expression, or each `step`th of them, with those of a plain reading."""
    from tests.search.plain_expressions import meets, patents_of

    index = EmbeddedEngine.open(folder)
    found = {text: documents_of(index, text)[0] for text in EXPRESSIONS}
    nodes = {text: parse_expression(text) for text in EXPRESSIONS}
    differing = dict.fromkeys(EXPRESSIONS, 0)
    for number, patent in islice(enumerate(patents_of(index)), 0, None, step):
        for text, node in nodes.items():
            differing[text] += meets(patent, node, index) != found[text][number]
    for text, wrong in differing.items():
        print(f"{int(found[text].sum()):8} documents, {wrong} differ: {text}")
    print(f"{sum(not wrong for wrong in differing.values())} of {len(EXPRESSIONS)} are the same sets")


def contest(folder: str, out: str) -> None:
    """Build Lucene's index if it is not there, and measure both."""
    index, place, about = EmbeddedEngine.open(folder), Path(out), results.machine()
    version = java_version("lucene")()
    print(f"Lucene {version}")
    classes = f"{LIBRARY / 'lucene' / 'classes'}:{LIBRARY / 'lucene' / 'jars'}/*"
    command = ("java", HEAP, "-cp", classes, "LuceneExpressions")
    if not place.exists():
        place.mkdir(parents=True)
        begun = time.perf_counter()
        with subprocess.Popen((*command, "build", out), stdin=subprocess.PIPE) as child:
            assert child.stdin is not None
            for line in words_in_order(index):
                child.stdin.write(line)
        print(f"built in {time.perf_counter() - begun:.1f} s, the words prepared by antecede included")
    size = sum(file.stat().st_size for file in place.iterdir())
    matrix = index.segments[0].matrices[LANGUAGE]
    counted = ("/places", "/word", "/row_bits")
    ours = sum(file.size for name, file in index.manifest.files().items() if any(part in name for part in counted))
    tokens = matrix.counts["places"]
    print(
        f"{tokens} words; bytes per word: ours {ours / tokens:.2f} (places and words), Lucene {size / tokens:.2f} (all)"
    )
    asked = "".join(f"{written(index, text)}\n" for text in EXPRESSIONS)
    answer = subprocess.run(
        (*command, "ask", out, str(ROUNDS)), input=asked, capture_output=True, text=True, check=True
    ).stdout
    times, rows, wrong = [], [], []
    for text, told in zip(EXPRESSIONS, answer.splitlines(), strict=True):
        mask, own = documents_of(index, text)
        number, theirs = told.split()
        times.append((own, float(theirs)))
        rows.append((text, f"{mask.sum():,}", f"{own:.2f}", f"{float(theirs):.2f}"))
        same = "" if int(number) == mask.sum() else f"  Lucene finds {number}"
        wrong += [f"{text}:{same}"] if same else []
        print(f"{int(mask.sum()):8} documents  ours {own:8.2f} ms  Lucene {float(theirs):8.2f} ms  {text}{same}")
    summary = tuple(
        (name, f"{np.median(taken):.2f}", f"{taken.max():.1f}", f"{per_word:.2f}")
        for name, taken, per_word in zip(
            ("antecede", "Lucene"), np.array(times).T, (ours / tokens, size / tokens), strict=True
        )
    )
    tables = (
        Table(("", "median ms", "worst ms", "bytes per word"), summary, "summary"),
        Table(("", "documents", "antecede ms", "Lucene ms"), tuple(rows), "expressions"),
    )
    work = f"{len(EXPRESSIONS)} expressions, {index.documents:,} documents of {tokens:,} words; Lucene {version}."
    section = Section("Boolean expressions", work, tables, wrong=tuple(wrong))
    stored = results.update(results.read(), [section], about)
    results.write(results.FIGURES, results.csv_text(stored))
    results.write(results.FIGURES.with_suffix(".md"), results.document(stored))


def words_in_order(index: EmbeddedEngine) -> Iterator[bytes]:
    """Each document as a line: its fields apart by tabs, their words in order."""
    sender: Any = Sender(None, index)  # type: ignore[arg-type]
    names = [words_field(LANGUAGE, field) for field in FIELDS]
    for first in range(0, index.documents, AT_ONCE):
        numbers = np.arange(first, min(first + AT_ONCE, index.documents))
        for fields in sender.write_words(LANGUAGE, numbers):
            yield ("\t".join(fields.get(name, "") for name in names) + "\n").encode()


def written(index: Any, text: str) -> str:
    """An expression as `LuceneExpressions` reads it, from the clauses that a cluster is asked."""
    return _query(Clauses(index).clause(parse_expression(text)))


def _query(clause: dict[str, Any]) -> str:
    (kind, inner), *_ = clause.items()
    if kind == "bool":
        name, key = next(
            (name, key) for name, key in (("and", "filter"), ("or", "should"), ("not", "must_not")) if key in inner
        )
        return f"({name} {' '.join(map(_query, inner[key]))})"
    (field, value), *_ = inner.items()
    short = f"f{FIELDS.index(field.rpartition('_')[2])}" if field.startswith("w_") else None
    if short is None:  # postings of a term in any field
        return "(or " + " ".join(f"(term f{at} ={value})" for at in range(len(FIELDS))) + ")"
    if kind == "term":
        return f"(term {short} {value})"
    return f"(wild {short} {value['value']})" if kind == "wildcard" else f"(near {short} {_source(value)})"


def _source(rule: dict[str, Any]) -> str:
    (kind, inner), *_ = rule.items()
    if kind == "match":
        return f"(word {inner['query']})"
    if kind == "wildcard":
        return f"(wild {inner['pattern']})"
    parts = " ".join(map(_source, inner["intervals"]))
    return f"(any {parts})" if kind == "any_of" else f"(order {inner['max_gaps']} {parts})"


if __name__ == "__main__":
    verb, *given = sys.argv[1:]
    if verb == "grow":
        grow(given[0], given[1], int(given[2]), int(given[3]))
    elif verb == "reference":
        reference(given[0], *map(int, given[1:]))
    else:
        contest(given[0], given[1])
