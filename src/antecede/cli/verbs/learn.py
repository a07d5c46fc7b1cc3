"""Learn from a collection what makes searches better."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from antecede.cli import options
from antecede.cli.bundles import TableOptions, verb
from antecede.cli.calls import Call, Derived
from antecede.cli.inputs import require_folder
from antecede.cli.options import argument, option
from antecede.cli.output import progress, show_build_progress
from antecede.cli.outputs import Input, Output
from antecede.errors import InputError, UsageError, printable
from antecede.registry import split_list
from antecede.tables import Table

if TYPE_CHECKING:
    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.query.translation import Translations


@verb(
    "antecede learn weights patents.index --out weights.json",
    "antecede learn weights patents.index --before 2004-01-01 --out weights.json",
    "antecede learn weights patents.index topics.jsonl qrels.txt --out weights.json --curve",
    "antecede run patents.index topics.jsonl --ranking weights.json --out learned.run",
)
def weights(
    *,
    index: options.LocalIndex,
    topics: str | None = argument(
        "[TOPICS]",
        "Patents to learn from, as for run. Default: patents of the index that cite others of it.",
        None,
        path=Input(),
    ),
    qrels: options.TopicQrels = None,
    out: Path = option("The file of the weights.", ..., metavar="FILE.json", path=Output()),
    call: Annotated[Call, Derived("antecede.learning.weights:weights")],
    showing: TableOptions,
) -> None:
    """Learn the weights of a ranking from citations, and show what each feature is worth.

    Every verb that searches uses the weights with --ranking FILE.json.
    """
    from antecede.engine import open_index

    require_folder(index, "learn weights")
    learned = call.run(index=open_index(index), topics=topics, qrels=qrels)
    learned.write(out)
    curves = [] if learned.curve is None else [learned.curve]
    rows = [dict(zip(table.columns, row, strict=True)) for table in curves for row in table.rows] if curves else None
    showing.show({**learned.to_dict(), "curve": rows}, *learned.tables(), *curves)


@verb(
    "antecede learn space clefip.index",
    "antecede learn space clefip.index --kind words --dimensions 200",
    "antecede learn space clefip.index --kind both --memory 1GB --json",
    "antecede learn space clefip.index --kind dense --model all-MiniLM-L6-v2/",
    "antecede learn space clefip.index --remove words",
)
def space(
    *,
    index: options.LocalIndex,
    call: Annotated[Call, Derived("antecede.index:learn_space")],
    remove: str | None = option("Remove the spaces of this kind instead.", metavar="KIND"),
    showing: TableOptions,
) -> None:
    """Learn a latent space from the documents of an index and store it with the index.

    In a latent space a query finds documents that say the same in other words.
    """
    from antecede.index.maintain import remove_space
    from antecede.index.statistics import space_table

    require_folder(index, "learn space")
    if remove is not None:
        remove_space(index, remove)
        return
    with show_build_progress(quiet=call.quiet) as report:
        learned = call.run(index=index, progress=report)
    showing.show(learned, space_table(learned.to_dict()["spaces"]), quiet=call.quiet)


@verb(
    "antecede learn translations clefip/ --out claims.table",
    "antecede learn translations clefip.index --into clefip.index",
    "antecede learn translations claims.table --show connected,Anspruch",
)
def translations(
    *,
    names: list[str] = argument(
        "COLLECTION...", "Patents, or the folder of an index; with --show, a table, or an index with one.", path=Input()
    ),
    show: str | None = option("Only show how a table translates these words.", metavar="WORD,…"),
    out: Path | None = option("The file to write.", metavar="TABLE", path=Output()),
    into: Path | None = option("Store the table with this index.", metavar="INDEX", path=Input()),
    call: Annotated[Call, Derived("antecede.query.translation:learn_translations")],
    showing: TableOptions,
) -> None:
    """Learn term translations from claims in several languages, or show those of a table."""
    from antecede.index.maintain import store_translation

    if show is not None:
        if out is not None or into is not None or call.given:
            raise UsageError("--out, --into, --claims and --profile do not go with --show, which learns nothing")
        if len(names) > 1:
            raise UsageError("--show takes one table, or one index")
        words = _translate(_open_table(names[0]), split_list(show))
        rows = tuple(
            (word["term"], word["from"], word["to"], entry["term"], entry["probability"])
            for word in words
            for entry in word["translations"]
        )
        showing.show(words, Table(("term", "from", "to", "translation", "probability"), rows, digits=3))
        return
    if out is None and into is None:
        raise UsageError("say where the table goes: --out FILE, --into INDEX, or both")
    with progress("reading", quiet=call.quiet, megabytes=True) as report:
        learned = _learn_translations(names, into, call, report)
    if out is not None:
        learned.write(out)
    if into is not None:
        store_translation(into, learned.to_bytes())
    facts: list[dict[str, Any]] = [
        {"source": source, "target": target, "claims": pair.claims, "terms": len(pair.terms)}
        for (source, target), pair in sorted(learned.directions.items())
    ]
    table = Table(("from", "to", "parallel claims", "terms"), tuple(tuple(pair.values()) for pair in facts))
    showing.show({"directions": facts, "bytes": len(learned.to_bytes())}, table, quiet=call.quiet)


def _learn_translations(
    names: Sequence[str], into: Path | None, call: Call, progress: Callable[[int, int], None] | None
) -> Translations:
    from antecede.corpus import Collection
    from antecede.engine import open_index
    from antecede.index.manifest import is_index

    for name in [*names, *([] if into is None else [str(into)])]:
        require_folder(name, "learn translations")
    indexes = [name for name in names if is_index(Path(name))]
    if indexes and len(names) > 1:
        raise UsageError(f"{indexes[0]} is an index: learn from it alone, or from collections")
    chosen = into or (Path(indexes[0]) if indexes else None)
    kept = open_index(chosen).profile if chosen is not None else None
    profile = call.given.get("profile", kept and kept.name)
    if kept is not None and profile != kept.name:
        raise UsageError(f"--profile {profile}: the index was built with the profile {kept.name!r}")
    read = _read_records(open_index(names[0]), progress) if indexes else Collection(*names, progress=progress).patents()
    learned: Translations = call.run(patents=read, progress=None, profile=kept or profile)
    return learned


def _read_records(index: Engine, progress: Callable[[int, int], None] | None) -> Iterator[Patent]:
    for done, patent in enumerate(index.records(index.all_numbers().tolist()), 1):
        yield patent
        if progress is not None:
            progress(done, index.documents)


def _open_table(name: str) -> Translations:
    from antecede.engine import open_index
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


def _translate(table: Translations, words: Sequence[str]) -> list[dict[str, Any]]:
    """The translations of words, in every direction that knows them."""
    from antecede.text import Analyzer

    if not words:
        raise UsageError("name words to show the translations of")
    known: list[dict[str, Any]] = []
    for word in words:
        for (source, target), direction in sorted(table.directions.items()):
            terms = Analyzer(source, table.profile).terms(word)
            if len(terms) == 1 and terms[0] in direction.terms:
                entries = [{"term": term, "probability": p} for term, p in direction.terms[terms[0]]]
                known.append({"word": word, "term": terms[0], "from": source, "to": target, "translations": entries})
    if not known:
        raise InputError(f"has no translation of {', '.join(map(printable, words))}", remedy="try other words")
    return known
