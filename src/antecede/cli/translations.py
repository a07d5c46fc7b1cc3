"""What `antecede learn translations` does: read patents, learn a table, show its words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.query.translation import Translations
    from antecede.tables import Table


def learn_from(
    names: Sequence[str],
    out: Path | None,
    into: Path | None,
    *,
    claims: int | None,
    profile: str | None,
    progress: Callable[[int, int], None] | None,
) -> dict[str, Any]:
    """Learn a table from a collection or an index, and write it; what was learned, per pair of languages."""
    from antecede.cli.indexing import require_folder
    from antecede.corpus import Collection
    from antecede.index import open_index
    from antecede.index.maintain import store_translation
    from antecede.index.manifest import is_index
    from antecede.query.translation import learn_translations

    for each in [*names, *([] if into is None else [str(into)])]:
        require_folder(each, "learn translations")
    indexes = [name for name in names if is_index(Path(name))]
    if indexes and len(names) > 1:
        raise UsageError(f"{indexes[0]} is an index: learn from it alone, or from collections")
    chosen = into or (Path(indexes[0]) if indexes else None)
    kept = open_index(chosen).profile if chosen is not None else None
    if kept is not None and profile not in (None, kept.name):
        raise UsageError(f"--profile {profile}: the index was built with the profile {kept.name!r}")
    patents = records_of(open_index(names[0]), progress) if indexes else Collection(*names, progress=progress).patents()
    learned = learn_translations(patents, profile=kept or profile or "default", claims=claims)
    if out is not None:
        learned.write(out)
    if into is not None:
        store_translation(into, learned.to_bytes())
    pairs = sorted(learned.directions.items())
    rows = [{"source": a, "target": b, "claims": each.claims, "terms": len(each.terms)} for (a, b), each in pairs]
    return {"directions": rows, "bytes": len(learned.to_bytes())}


def records_of(index: Index, progress: Callable[[int, int], None] | None) -> Iterator[Patent]:
    """Every patent of an index."""
    done = 0
    for segment in index.segments:
        for number in segment.live.nonzero()[0].tolist():
            yield segment.store.record(number)
            segment.store.release_pages(number)
            done += 1
            if progress is not None:
                progress(done, index.documents)


def learned_table(facts: dict[str, Any]) -> Table:
    """What was learned, one direction per line."""
    from antecede.tables import Table

    columns = ("source", "target", "claims", "terms")
    return Table(
        ("from", "to", "parallel claims", "terms"), tuple(tuple(e[c] for c in columns) for e in facts["directions"])
    )


def open_table(name: str) -> Translations:
    """The table in a file, or the one that is stored with an index."""
    from antecede.cli.indexing import require_folder
    from antecede.index import open_index
    from antecede.index.manifest import is_index
    from antecede.query.translation import parse_translations, read_translations

    require_folder(name, "learn translations")
    if not is_index(Path(name)):
        return read_translations(name)
    data = open_index(name).translation
    if data is None:
        raise InputError(
            "has no table of translations", source=name, remedy="`antecede learn translations … --into` stores one"
        )
    return parse_translations(data, name)


def shown_words(table: Translations, words: Sequence[str]) -> list[dict[str, Any]]:
    """The translations of words, in every direction that knows them; without words, the pairs of languages."""
    from antecede.text import Analyzer

    if not words:
        raise UsageError("name words to show the translations of")
    found: list[dict[str, Any]] = []
    for word in words:
        for (source, target), direction in sorted(table.directions.items()):
            terms = Analyzer(source, table.profile).terms(word)
            if len(terms) == 1 and terms[0] in direction.terms:
                entries = [{"term": term, "probability": p} for term, p in direction.terms[terms[0]]]
                found.append({"word": word, "term": terms[0], "from": source, "to": target, "translations": entries})
    if not found:
        raise InputError(f"has no translation of {', '.join(map(shown, words))}", remedy="try other words")
    return found


def words_table(found: Sequence[dict[str, Any]]) -> Table:
    """Translations, one per line."""
    from antecede.tables import Table

    rows = tuple(
        (each["term"], each["from"], each["to"], entry["term"], entry["probability"])
        for each in found
        for entry in each["translations"]
    )
    return Table(("term", "from", "to", "translation", "probability"), rows, digits=3)
