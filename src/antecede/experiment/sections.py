"""The sections of an experiment file: which keys each has, and what may stand behind them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args

from antecede.comparison import CORRECTIONS, TESTS
from antecede.errors import shown
from antecede.evaluation.scores import Missing, NoRelevant
from antecede.experiment.settings import TOGETHER, CollectionFrom, IndexFrom, Synthetic, TopicsFrom
from antecede.experiment.studies import STUDIES, measure, wanted
from antecede.experiment.values import day, each_once, many, number, path, table, text, whole, word
from antecede.trec.policies import Duplicates, Malformed, Order, Ties

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.experiment.values import Kind, Place


def synthetic(value: Any, at: Place) -> Synthetic:
    """A made-up collection."""
    keys: dict[str, Kind] = {"patents": whole(), "seed": whole(), "topics": whole(1), "length": whole(1)}
    found = Synthetic(**table(keys)(value, at))

    def possible() -> None:
        from antecede.synthetic.collection import DEFAULT_LENGTH, check_request, choose_topic_count

        topics = choose_topic_count(found.patents) if found.topics is None else found.topics
        check_request(found.patents, topics, found.seed, "marec", found.length or DEFAULT_LENGTH, 1)

    at.passed_on(possible)
    return found


def names(value: Any, at: Place) -> dict[str, str]:
    """What a JSON source or a table calls our fields; `preset` names the export that it is."""
    from antecede.corpus.formats.field_names import FIELD_NAMES
    from antecede.corpus.formats.presets import PRESET, choose_preset

    found = dict(table(dict.fromkeys((*FIELD_NAMES, PRESET), text))(value, at))
    if PRESET in found:
        at.passed_on(lambda: choose_preset(found[PRESET]))
    return found


def collection(value: Any, at: Place) -> CollectionFrom:
    """Paths, or a table."""
    if not isinstance(value, dict):
        return CollectionFrom(many(path)(value, at))
    given = table({"paths": many(path), "synthetic": synthetic, "names": names})(value, at)
    if ("paths" in given) == ("synthetic" in given):
        raise at.wrong("needs either paths or synthetic" + (", not both" if "paths" in given else ""))
    return CollectionFrom(**given)


def existing_index(value: Any, at: Place) -> Path:
    """An index that is there and can be opened."""
    from antecede.index import open_index

    found = path(value, at)
    at.passed_on(lambda: open_index(found))
    return found


def index(value: Any, at: Place) -> IndexFrom:
    """The path of an index that is there, or how one is to be built."""
    from antecede.index.layout import FIELDS
    from antecede.text.profiles import PROFILES

    if isinstance(value, str):
        return IndexFrom(existing_index(value, at))
    keys: dict[str, Kind] = {
        "path": existing_index,
        "profile": word(*PROFILES),
        "fields": many(word(*FIELDS)),
        "memory": memory,
        "workers": whole(1),
    }
    found = IndexFrom(**table(keys)(value, at))
    if found.path is not None and len(value) > 1:
        raise at.wrong("an index that is there has been built already", "give its path alone")
    return found


def memory(value: Any, at: Place) -> str:
    from antecede.index.resources import parse_size

    at.passed_on(lambda: parse_size(text(value, at)))
    return str(value)


def topics(value: Any, at: Place) -> TopicsFrom:
    """Paths, or a table."""
    if not isinstance(value, dict):
        return TopicsFrom(many(path)(value, at))
    keys: dict[str, Kind] = {
        "paths": many(path),
        "citations": word("fields", "text", "both"),
        "after": day,
        "grades": word("category", "one"),
        "fewest": whole(1),
        "most": whole(1),
        "names": names,
    }
    given = table(keys)(value, at)
    made = [name for name in ("citations", "after", "grades", "fewest", "most") if name in given]
    if "paths" in given and made:
        raise (at / made[0]).wrong("makes topics from citations, but paths name topics that are there; leave one out")
    if "paths" not in given:
        given.setdefault("citations", "fields")
    return TopicsFrom(**given)


def qrels(value: Any, at: Place) -> Path:
    """Judgements, read once to see that they can be."""
    found = path(value, at)
    if found.is_dir():
        raise at.wrong(f"{shown(value)!r} is a folder", "name the file of judgements")
    return found


def languages(value: Any, at: Place) -> str | tuple[str, ...]:
    """Codes of languages, a part each; or `together`."""
    if value == TOGETHER:
        return TOGETHER
    found: tuple[str, ...] = many(text)(value, at)
    for place, code in enumerate(found):
        if not re.fullmatch(r"[a-z]{2}", code):
            where = at / place if isinstance(value, list) else at
            raise where.wrong(f"{shown(code)!r} is no language", f"write a code such as en, de or fr, or {TOGETHER!r}")
    each_once(found, at)
    return found


EVALUATION: dict[str, Kind] = {
    "measures": many(measure),
    "baseline": text,
    "test": word(*TESTS),
    "correction": word(*CORRECTIONS),
    "alpha": number(0, 1),
    "samples": whole(1),
    "seed": whole(),
    "missing": word(*get_args(Missing)),
    "no_relevant": word(*get_args(NoRelevant)),
    "duplicates": word(*get_args(Duplicates)),
    "malformed": word(*get_args(Malformed)),
    "ties": word(*get_args(Ties)),
    "order": word(*get_args(Order)),
    "depth": whole(1),
}


def search(value: Any, at: Place) -> dict[str, Any]:
    from antecede.experiment.searches import SEARCH

    found: dict[str, Any] = table(SEARCH)(value, at)
    return found


def runs(value: Any, _at: Place) -> list[Any]:
    """Runs, each a path, several (`runs/*.gz`), or a table; what they are is read later, when the rest is known."""
    return value if isinstance(value, list) else [value]


KEYS: dict[str, Kind] = {
    "title": text,
    "out": lambda value, at: at.folder / text(value, at),
    "collection": collection,
    "index": index,
    "topics": topics,
    "qrels": qrels,
    "languages": languages,
    "search": search,
    "runs": runs,
    "evaluation": table(EVALUATION),
    "studies": table(dict.fromkeys(STUDIES, wanted)),
}
"""Every key of the file."""
