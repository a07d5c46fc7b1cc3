"""Uses damaged indexes, many in one process, and says after each what became of it.

    python -m tests.fuzz.index_worker WORLD FOLDER TARGET < cases

WORLD holds the whole index, FOLDER is where copies are damaged. A case is `sealed NUMBER` or `unsealed NUMBER`, each on
a line. For each case a line `begin CASE`, then one of JSON.
A case at which the process dies has begun and not ended.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
import traceback
import warnings
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.conditions.filters import Filters, limit_field
from antecede.embedded.engine import EmbeddedEngine
from antecede.engine import read_headers
from antecede.errors import AntecedeError
from antecede.index import add_to_index, merge_index, verify_index
from antecede.index.manifest import NAME
from antecede.index.statistics import describe_index
from antecede.patent import Patent
from antecede.query.query import Query
from antecede.search.pipeline import make_query
from tests.fuzz.index_worlds import damage, seal
from tests.fuzz.outcomes import Fuzz
from tests.index.worlds import WORDS, by_row
from tests.search import plain
from tests.search.worlds import Document, retrieve

if TYPE_CHECKING:
    from collections.abc import Callable

MODELS = ("bm25", "lm_dirichlet", "pl2")
FILTERS = (
    Filters(),
    Filters(others=(limit_field("ipc", ("H04L",)),)),
    Filters(others=(limit_field("country", ("EP",)),), without=("EP1000001",)),
)
TOPIC = Patent(
    "EP1900000",
    language="en",
    description={language: " ".join(WORDS) for language in ("en", "de", "fr", "ja", "")},
    ipc=("H04L 12/56", "A61K 31/44"),
)
SECONDS, MEMORY = 60, 4 << 30
HUGE = 10**6
"""Brute force writes out every token; a matrix with more of them is only searched."""


def queries(index: EmbeddedEngine) -> dict[str, dict[str, float]]:
    """A query in each language."""
    found = {}
    for language in index.languages:
        terms = index.analyzer(language).terms(" ".join(WORDS))
        found[language] = {term: float(1 + len(term) % 3) for term in terms}
    return found


def search_all(index: EmbeddedEngine) -> dict[str, Any]:
    """What every model finds, with every digit of the scores."""
    found: dict[str, Any] = {}
    for model in MODELS:
        for language, terms in queries(index).items():
            for at, filters in enumerate(FILTERS):
                hits = retrieve(index, Query.from_terms(terms, language), 50, filters, model)
                scores = np.asarray(hits.scores).view(np.uint32).tolist()
                found[f"{model} {language} {at}"] = list(zip(hits.doc_ids, scores, strict=True))
    for language, terms in queries(index).items():
        for space in filter(None, (index.space(language, kind) for kind in ("lsa", "words"))):
            numbers, scores = space.nearest(space.query_vector(list(terms), list(terms.values())), 50)
            found[f"{space.kind} {language}"] = numbers.tolist(), np.isfinite(scores).all()
    return found


def show_all(index: EmbeddedEngine) -> list[Any]:
    """Every document, whole and as a list shows it."""
    found: list[Any] = []
    for segment in index.segments:
        names = segment.doc_ids(np.arange(segment.documents))
        found += [name for name in names if len(index.numbers_of(name))]
        found += [index.patent(name).to_dict() for name in names]
        found += [segment.store.numbers_named(f"{name[:2]} {name[2:]} A1") for name in names]
    return found + read_headers(index, np.arange(index.size))


def make_queries(index: EmbeddedEngine) -> list[Any]:
    """Queries made of a topic, one of them from the documents in its classes."""
    found: list[Any] = []
    for language in index.languages:
        for method in ("tfidf", "lmipc"):
            query = make_query(TOPIC, index, method=method, language=language)
            found.append([query.language, list(query.terms), query.weights.tolist()])
    return found


def figures(index: EmbeddedEngine) -> Any:
    """What `describe_index` shows, but for sizes."""
    return {name: value for name, value in describe_index(index).items() if name != "bytes"}


USES: dict[str, Callable[[EmbeddedEngine], Any]] = {
    "info": figures,
    "search": search_all,
    "show": show_all,
    "query": make_queries,
}


def used(use: Callable[[], Any]) -> tuple[str, Any]:
    """What becomes of a use: `done` with its result, `refused` with the line, `failed` with the traceback."""
    try:
        return "done", use()
    except AntecedeError as error:
        return ("refused", str(error)) if "\n" not in str(error) else ("failed", f"several lines: {error}")
    except BaseException:  # noqa: BLE001 - it is the outcome of the case
        return "failed", traceback.format_exc()


def use_opened(use: Callable[[EmbeddedEngine], Any], folder: Path) -> Any:
    """Open an index, and use it."""
    return use(EmbeddedEngine.open(folder))


def brute_force(index: EmbeddedEngine) -> str:
    """Compare every ranking without filters with one worked out from the decoded rows; what differs, or nothing."""
    for language, terms in queries(index).items():
        rows = by_row(index, language)
        if sum(each.total() for each in rows.values()) > HUGE:
            continue
        documents = [Document(name, tuple(Counter(each).elements())) for name, each in rows.items() if each]
        empty = len(rows) - len(documents)
        documents += [Document(f"no terms {number}", ()) for number in range(empty)]
        wanted = plain.scores(documents, terms, "bm25", {})
        hits = retrieve(index, Query.from_terms(terms, language), 1000)
        if set(hits.doc_ids) != set(wanted):
            return f"{language}: other documents than brute force"
        for name, score in zip(hits.doc_ids, hits.scores.tolist(), strict=True):
            right, scale = wanted[name]
            if abs(score - right) > 1e-4 * max(scale, 1):
                return f"{language}: {name} has {score}, brute force {right}"
    return ""


def outcome(folder: Path, whole: dict[str, Any], *, sealed: bool, writing: bool) -> tuple[str, str]:
    """Use a damaged index in every way; what became of it, and what was wrong if it failed."""
    state, verified = used(lambda: verify_index(folder))
    if state == "failed":
        return "failed", f"verify: {verified}"
    ok = state == "done" and verified.ok
    results = {name: used(partial(use_opened, use, folder)) for name, use in USES.items()}
    for name, (how, what) in results.items():
        if how == "failed":
            return "failed", f"{name}: {what}"
    if writing:
        for name, work in (
            ("add", lambda: add_to_index(folder, folder.parent / "more.jsonl", workers=1)),
            ("merge", lambda: merge_index(folder, workers=1)),
            ("verify", lambda: verify_index(folder)),
        ):
            how, what = used(work)
            if how == "failed":
                return "failed", f"{name}: {what}"
            if ok and (how == "refused" or (name == "verify" and not what.ok)):
                return "failed", f"verify found nothing, then {name}: {what}"
    return judged(results, whole, ok=ok, sealed=sealed, folder=folder, checked=not writing)


def judged(
    results: dict[str, tuple[str, Any]], whole: dict[str, Any], *, ok: bool, sealed: bool, folder: Path, checked: bool
) -> tuple[str, str]:
    """Whether an index that was damaged gave the right results, or was refused, or is another valid index."""
    refused = [name for name, (how, _) in results.items() if how == "refused"]
    other = [name for name, (how, what) in results.items() if how == "done" and what != whole[name]]
    if ok and refused:
        return "failed", f"verify found nothing, yet {refused[0]} is refused: {results[refused[0]][1]}"
    if not other:
        return ("refused" if refused else "exact"), ""
    if not sealed:
        return "failed", f"another result in silence: {other}"
    if not ok:
        return "reported", ""  # it is searched as the index it has become, and verify says that it contradicts itself
    problem = brute_force(EmbeddedEngine.open(folder)) if checked else ""
    return ("failed", problem) if problem else ("another", "")


def main() -> None:
    """Read the numbers of cases, and go through them."""
    world, copies, target = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    setattr(os, "fsync", lambda _: None)  # noqa: B010
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    shutil.copy(world / "more.jsonl", copies / "more.jsonl")
    whole = {name: use(EmbeddedEngine.open(world / "index")) for name, use in USES.items()}
    folder = copies / "index"
    for case in sys.stdin.read().splitlines():
        print("begin", case, flush=True)
        kind, number = case.split()
        signal.alarm(SECONDS)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(world / "index", folder)
        how = damage(Fuzz(f"{target}[{kind}]").case(int(number)), folder)
        if kind == "sealed":
            seal(folder)
        else:
            shutil.copy(world / "index" / NAME, folder / NAME)
        found, why = outcome(folder, whole, sealed=kind == "sealed", writing=int(number) % 3 == 0)
        signal.alarm(0)
        print(json.dumps([case, found, how, why]), flush=True)


if __name__ == "__main__":
    main()
