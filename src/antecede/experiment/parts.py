"""The parts of an experiment: its topics, one language each, with their judgements."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, shown
from antecede.experiment.digests import code, digest
from antecede.experiment.folder import made
from antecede.experiment.steps import Written
from antecede.files import write_whole
from antecede.trec import Policies, read_qrels, write_qrels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from antecede.experiment.settings import Settings
    from antecede.experiment.steps import Stamp, Steps
    from antecede.trec import Qrels

ALL, UNKNOWN = "all", "unknown"
LANGUAGES = {"en": "English", "fr": "French", "de": "German"}
NAMED = 5
QRELS, PART = "qrels.txt", "part.json"


@dataclass(frozen=True)
class PartPlan:
    """A part to be made."""

    name: str
    title: str
    language: str | None
    """None where topics of several languages are together."""
    topics: tuple[str, ...]
    """The topics to be searched for, all judged."""
    digest: str
    """What they hold."""
    notes: tuple[str, ...] = ()


def only_part(settings: Settings) -> PartPlan:
    """The one part of an experiment with only runs: all topics of the qrels."""
    return PartPlan(ALL, settings.title, None, (), "")


def parts_of(settings: Settings, known: Mapping[str, Any], qrels: Qrels, there: Sequence[str] | None) -> list[PartPlan]:
    """The parts that topics make. `there` are the languages of the index, where it is there already."""
    topics: dict[str, dict[str, str]] = known["topics"]
    judged = {*qrels.topics}
    by_language: dict[str, list[str]] = {}
    for name, facts in topics.items():
        if name in judged:
            by_language.setdefault("" if settings.together else facts["language"], []).append(name)
    if not by_language:
        some = shown(", ".join([*topics][:3]), 60)
        what = f"none of the {len(topics)} topics ({some} …) is judged"
        raise InputError(what, source=qrels.source, remedy="check that topics and qrels belong together")
    notes = notes_on(topics, known["unread"], qrels)
    wanted = chosen(settings, {language: len(names) for language, names in by_language.items()}, there)
    left = {language: len(names) for language, names in by_language.items() if language not in wanted}
    if left and not settings.together:
        told = ", ".join(f"{language or UNKNOWN} {count}" for language, count in left.items())
        notes.append(f"Topics in other languages, not looked at here: {told}.")
    return [
        PartPlan(
            ALL if settings.together else language or UNKNOWN,
            "All topics" if settings.together else LANGUAGES.get(language, language or "Language unknown"),
            None if settings.together else language,
            tuple(by_language[language]),
            digest([topics[name]["digest"] for name in by_language[language]]),
            tuple(notes),
        )
        for language in wanted
    ]


def chosen(settings: Settings, counts: Mapping[str, int], there: Sequence[str] | None) -> list[str]:
    """The languages that make parts: those asked for, or all that topics have, most topics first."""
    if settings.together:
        return [""]
    if settings.languages is None:
        return sorted(counts, key=lambda language: (-counts[language], language))
    for place, language in enumerate(settings.languages):
        at = settings.top / "languages" / place
        if there is not None and language not in there:
            raise at.wrong(f"the collection has no text in {language!r}", f"it has {', '.join(there)}")
        if language not in counts:
            has = ", ".join(f"{each or UNKNOWN} {count}" for each, count in counts.items())
            raise at.wrong(f"no judged topic is in {language!r}", f"topics are in: {has}")
    return [*settings.languages]


def notes_on(topics: Mapping[str, Any], unread: Mapping[str, str], qrels: Qrels) -> list[str]:
    """Topics that cannot be looked at, by the reason."""
    notes = []
    silent = [name for name in qrels.topics if name not in topics and name not in unread]
    if silent:
        notes.append(f"Judged, but not among the topics, hence left out: {named(silent)}.")
    unjudged = [name for name in topics if name not in {*qrels.topics}]
    if unjudged:
        notes.append(f"Not judged, hence not searched for: {named(unjudged)}.")
    for reason, count in Counter(unread.values()).items():
        names = [name for name, why in unread.items() if why == reason]
        notes.append(f"{count} topics left out: {shown(reason)} ({named(names)}).")
    return notes


def named(names: Sequence[str]) -> str:
    """How many, and the first few by name."""
    some = ", ".join(shown(name) for name in names[:NAMED])
    return f"{len(names)} ({some}{', …' if len(names) > NAMED else ''})"


def part_made(steps: Steps, settings: Settings, part: PartPlan, qrels: Path) -> Stamp | None:
    """The judgements of a part, in its folder."""
    folder = settings.out / "parts" / part.name
    depends = {
        "qrels": steps.digests.of_file(qrels) if qrels.exists() else None,
        "topics": digest(part.topics),
        "title": part.title,
        "notes": part.notes,
        "reading": settings.evaluation.reading,
        "code": code("trec"),
    }

    def make(_: bool) -> Written:
        made(folder)
        read = read_qrels(str(qrels), Policies(**settings.evaluation.reading))
        write_qrels(only(read, part.topics) if part.topics else read, folder / QRELS)
        odd = tuple(f"{count} {name} lines in the qrels." for name, count in read.odd.items() if count)
        notes = [*part.notes, *(odd if part.topics else ())]
        whole = {"name": part.name, "title": part.title, "topics": len(part.topics or read.topics), "notes": notes}
        write_whole(folder / PART, json.dumps(whole, ensure_ascii=False).encode())
        return Written([folder / QRELS, folder / PART], whole)

    return steps.step(f"part {part.name}", depends, make)


def only(qrels: Qrels, topics: Sequence[str]) -> Qrels:
    """The judgements of some topics."""
    import polars as pl

    return read_qrels(qrels.to_polars().filter(pl.col("topic_id").is_in([*topics])))
