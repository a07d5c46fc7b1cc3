"""Runs: each search over the topics of each part; and the sweep over numbers of terms."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from antecede.errors import AntecedeError, shown
from antecede.experiment.digests import code
from antecede.experiment.folder import made
from antecede.experiment.gathering import INDEXING
from antecede.experiment.steps import Written
from antecede.files import write_whole
from antecede.query.methods import parse_method
from antecede.search.batch import run_topics
from antecede.search.term_sweep import TermSweep
from antecede.study.term_counts import term_counts
from antecede.trec import read_run, write_run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from antecede.experiment.gathering import Gathered
    from antecede.experiment.parts import PartPlan
    from antecede.experiment.settings import Search
    from antecede.experiment.steps import Stamp
    from antecede.search.batch import Batch

SEARCHING = (*INDEXING, "registry", "ranges", "parallel", "query", "search", "experiment/searching")
SWEEPING = (*SEARCHING, "trec", "measures", "evaluation", "study", "tables", "report/figures", "report/display_text")
LARGE = 200_000
"""Lines from which on a run is packed."""
NAMED = 3


def search_made(gathered: Gathered, part: PartPlan, search: Search, threads: int | None) -> Stamp | None:
    """The run of one search over one part's topics."""
    steps, folder = gathered.steps, gathered.folder / "parts" / part.name
    settings = search.settings_for(part.language)
    depends = {
        **settings.to_dict(),
        "index": gathered.index_digest,
        "topics": part.digest,
        "code": code(*SEARCHING),
    }

    def make(interrupted: bool) -> Written:
        runs = made(folder / "runs")
        batch = run_topics(
            gathered.index,
            gathered.patents(part.topics),
            settings=settings,
            threads=threads,
            keep=runs / f"{search.name}.run.partial",
            resume=interrupted,  # by a call with the same code, too
            progress=gathered.told(f"searching, {part.name}, {search.name}"),
        )
        outputs = [write_queries(batch, made(folder / "queries") / f"{search.name}.jsonl")]
        lines = sum(len(each.doc_ids) for each in batch.answers)
        if lines:
            run = runs / f"{search.name}.run{'.gz' if lines > LARGE else ''}"
            write_run(read_run(batch.rankings, name=search.name), run)
            outputs.insert(0, run)
        resumed = f"goes on with {batch.resumed} of {len(batch.answers)} topics" if batch.resumed else ""
        return Written(outputs, facts_of(batch), resumed)

    return steps.step(f"run {part.name}/{search.name}", depends, make)


def write_queries(batch: Batch, path: Path) -> Path:
    """A line a topic: what it was searched with."""
    lines = ({"topic": each.topic_id, "queries": each.queries} for each in batch.answers if each.queries)
    write_whole(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode())
    return path


def facts_of(batch: Batch) -> dict[str, Any]:
    """What tables and the report say of a run."""
    whole = batch.to_dict()
    answered = max(whole["answered"], 1)
    failed = [
        f"{len(topics)} found nothing: {shown(why)} ({', '.join(map(shown, topics[:NAMED]))}"
        f"{', …' if len(topics) > NAMED else ''})"
        for why, topics in whole["failed"].items()
    ]
    notes = [f"{count} topics: {note}" for note, count in whole["notes"].items()]
    times = whole["milliseconds"]
    return {
        "method": "+".join(batch.settings.method),
        "model": batch.settings.model,
        "settings": {name: each for name, each in whole["settings"].items() if name not in ("method", "model")},
        "terms": whole["terms"],
        "milliseconds": times["making"] + times["searching"],
        "making": times["making"],
        "topics": whole["topics"],
        "answered": whole["answered"],
        "unmatched": whole["unmatched"] / answered,
        "notes": [*failed, *notes],
    }


def sweep_made(
    gathered: Gathered,
    part: PartPlan,
    options: Mapping[str, Any],
    searches: tuple[Search, ...],
    threads: int | None,
    write: Callable[..., Any],
) -> Stamp | None:
    """The sweep over numbers of terms; `write` puts the study into the part's folder."""
    methods = options.get("methods") or cutting(searches)
    settings = replace(searches[0].settings_for(part.language), method=tuple(methods), terms=None)
    folder = gathered.folder / "parts" / part.name
    depends = {
        "options": {**options, "methods": methods},
        **settings.to_dict(),
        "index": gathered.index_digest,
        "topics": part.digest,
        "qrels": gathered.steps.digests.of_file(folder / "qrels.txt") if (folder / "qrels.txt").exists() else None,
        "code": code(*SWEEPING),
    }

    def make(_: bool) -> Written:
        counts = options["at"]
        at_once = threads or os.cpu_count() or 1
        sweep = TermSweep(gathered.index, gathered.patents(part.topics), settings, max(counts), threads=at_once)
        try:
            found = term_counts(
                *(str(folder / "qrels.txt"), sweep.rankings, methods),
                at=counts,
                measures=options["measures"],
                progress=gathered.told(f"sweeping terms, {part.name}"),
            )
        except AntecedeError as error:  # nothing was found for any topic, say: the rest of the experiment stands
            return Written((), {"notes": [f"terms: not made: {error}"]})
        notes = [f"terms: topic {shown(name)} is left out: {shown(why)}" for name, why in sweep.failed.items()]
        return Written(write(found), {"notes": notes})

    return gathered.steps.step(f"study {part.name}/terms", depends, make)


def cutting(searches: tuple[Search, ...]) -> list[str]:
    """The methods whose number of terms matters: those of the experiment that take the heaviest."""
    names = dict.fromkeys(method for search in searches for method in search.settings.method)
    return [name for name in names if parse_method(name).definition.cut] or [*names]


def titles_made(gathered: Gathered, part: PartPlan, known: Mapping[str, Any]) -> Stamp | None:
    """The titles of a part's topics and judged documents."""
    folder = gathered.folder / "parts" / part.name
    depends = {
        "index": gathered.index_digest,
        "topics": part.digest,
        "qrels": gathered.steps.digests.of_file(folder / "qrels.txt") if (folder / "qrels.txt").exists() else None,
        "code": code(*INDEXING),
    }

    def make(_: bool) -> Written:
        from antecede.trec import read_qrels

        titles = {name: known["topics"][name]["title"] for name in part.topics}
        for name in dict.fromkeys(read_qrels(str(folder / "qrels.txt")).doc_ids.to_list()):
            found = gathered.index.find_all(name)
            if len(found) == 1 and name not in titles:
                title = found[0][0].store.record(found[0][1]).title
                titles[name] = title.get(part.language or "") or next(iter(title.values()), "")
        path = folder / "titles.json"
        write_whole(
            path, json.dumps({name: each for name, each in titles.items() if each}, ensure_ascii=False).encode()
        )
        return Written([path])

    return gathered.steps.step(f"titles {part.name}", depends, make)
