"""Settings that are right each for itself, but not together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.errors import shown
from antecede.files import input_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antecede.errors import InputError
    from antecede.experiment.settings import Settings

SYNTHETIC_LANGUAGES = ("en", "de", "fr")
NEEDS_RUNS = 2


def check(settings: Settings, given: set[str], studies: set[str]) -> None:
    """Refuse what cannot be done. `given` are the keys of the file, `studies` those it asks for by name."""
    for rule in RULES:
        for error in rule(settings, given):
            raise error
    for error in studies_rule(settings, studies):
        raise error


def one_source(settings: Settings, given: set[str]) -> Iterator[InputError]:
    if settings.collection is not None and settings.index.path is not None:
        yield (settings.top / "index").wrong("an index and a collection are given", "leave one of them out")
    if "index" in given and settings.collection is None and settings.index.path is None:
        yield (settings.top / "index").wrong("says how to build, but there is no collection", "give one, or a path")


def something_to_do(settings: Settings, given: set[str]) -> Iterator[InputError]:
    source = settings.collection is not None or settings.index.path is not None
    if settings.searches and not source:
        key = "search" if "search" in given else "runs"
        yield (settings.top / key).wrong("there is nothing to search in", "give a collection or an index")
    if not settings.names:
        yield settings.top.wrong("there is nothing to evaluate", "give a collection or an index, or runs")
    if settings.names and not source:
        for key in ("topics", "languages"):
            if key in given:
                yield (settings.top / key).wrong("says nothing where only runs are evaluated", "leave it out")


def judgements(settings: Settings, given: set[str]) -> Iterator[InputError]:
    cited = settings.topics.citations is not None
    synthetic = settings.collection is not None and settings.collection.synthetic is not None
    if settings.qrels is not None and cited:
        yield (settings.top / "qrels").wrong("citations make the topics, and with them the qrels", "leave one out")
    if settings.qrels is None and synthetic and settings.topics.paths:
        yield (settings.top / "topics").wrong("topics of your own need qrels of their own", "give qrels = PATH")
    if settings.qrels is None and not cited and not synthetic:
        yield settings.top.wrong(
            "there are no judgements", "give qrels = PATH, or make topics from citations: topics = { after = DAY }"
        )
    if cited and settings.collection is None and "topics" in given:
        yield (settings.top / "topics").wrong("topics from citations are made from a collection", "give one")


def languages_there(settings: Settings, _given: set[str]) -> Iterator[InputError]:
    there = languages_of(settings)
    for place, language in enumerate(settings.languages or ()):
        if there is not None and language not in there:
            at = settings.top / "languages" / place
            yield at.wrong(f"the collection has no text in {shown(language)!r}", f"it has {', '.join(there)}")


def languages_of(settings: Settings) -> tuple[str, ...] | None:
    """The languages of the collection, where they are known beforehand."""
    if settings.index.path is not None:
        from antecede.index import open_index

        return open_index(settings.index.path).languages
    synthetic = settings.collection is not None and settings.collection.synthetic is not None
    return SYNTHETIC_LANGUAGES if synthetic else None


def folder_outside(settings: Settings, _given: set[str]) -> Iterator[InputError]:
    out = settings.out.resolve()
    for each in settings.collection.paths if settings.collection is not None else ():
        if each.is_dir() and out.is_relative_to(each.resolve()):
            what = f"the results would go to {shown(str(settings.out))}, inside {shown(str(each))}, which is read"
            yield (settings.top / "collection").wrong(what, "choose another place with --out")


def inputs_outside(settings: Settings, _given: set[str]) -> Iterator[InputError]:
    """Nothing that is read may lie where results are written; the copy of the experiment file may be run again."""
    given = {"qrels": (settings.qrels,), "topics": settings.topics.paths, "index": (settings.index.path,)}
    given["runs"] = tuple(each.path for each in settings.runs)
    given["collection"] = settings.collection.paths if settings.collection is not None else ()
    for key, paths in given.items():
        for path in paths:
            if path is not None and settings.out.is_dir() and input_at(path, [settings.out]) is not None:
                what = f"{shown(str(path))} lies in {shown(str(settings.out))}, where the results are written"
                yield (settings.top / key).wrong(what, "choose another place with --out")


def readable_qrels(settings: Settings, _given: set[str]) -> Iterator[InputError]:
    if settings.qrels is not None:
        from antecede.trec import Policies, read_qrels

        qrels, at = settings.qrels, settings.top / "qrels"
        at.passed_on(lambda: read_qrels(str(qrels), Policies(**settings.evaluation.reading)))
    yield from ()


def studies_rule(settings: Settings, named: set[str]) -> Iterator[InputError]:
    at = settings.top / "studies"
    if "terms" in settings.studies and not settings.searches:
        yield (at / "terms").wrong("sweeps the terms of queries, but nothing is searched for", "leave it out")
    for name in sorted(named & {*settings.studies} - {"terms"}):
        if len(settings.names) < NEEDS_RUNS:
            yield (at / name).wrong("compares runs, and there is only one", "give another, or leave it out")
    groups = settings.studies.get("robustness", {})
    if groups.get("lose") == "group" and "groups" not in groups:
        yield (at / "robustness").wrong("lose = 'group' needs to know which group made which run", "give groups = PATH")


RULES: tuple[Callable[[Settings, set[str]], Iterator[InputError]], ...] = (
    one_source,
    something_to_do,
    judgements,
    languages_there,
    folder_outside,
    inputs_outside,
    readable_qrels,
)
