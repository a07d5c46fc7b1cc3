"""The first steps: the collection, its topics and its index. Only an experiment that searches loads this file."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from antecede.corpus import Collection, make_topics
from antecede.corpus.files.folders import label
from antecede.errors import AntecedeError, InputError, shown
from antecede.experiment.digests import MARK, code, digest, files_in
from antecede.experiment.folder import made
from antecede.experiment.steps import NotYet, Written
from antecede.experiment.synthesized import synthesized
from antecede.files import write_whole
from antecede.index import build_index, open_index
from antecede.index.index import not_one_document
from antecede.index.layout import SEGMENTS
from antecede.index.maintenance import settings_for
from antecede.index.manifest import NAME as MANIFEST
from antecede.index.resources import parse_size
from antecede.index.work_folder import Work, plan_of
from antecede.search.engine import title_of
from antecede.search.topics import is_list, names_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from antecede.corpus.document import Rejected
    from antecede.experiment.settings import Settings
    from antecede.experiment.steps import Stamp, Steps
    from antecede.index import Index, Progress
    from antecede.patent import Patent

    Report = Callable[[str, int, int], None]

READING = ("corpus", "patent")
INDEXING = (*READING, "text", "index")
TOPICS, FACTS, QRELS = "topics.jsonl", "topics.json", "qrels.txt"


class Gathered:
    """What an experiment searches in, and for: each made, or kept, when it is first asked for."""

    def __init__(self, settings: Settings, steps: Steps, report: Report) -> None:
        self.settings, self.steps, self.report = settings, steps, report
        self.folder = settings.out
        self.opened: Index | None = None
        self.read: dict[str, Patent] | None = None

    def gather(self) -> None:
        """Make what there is to make, in order: what can fail early is made before what takes long."""
        given = self.settings.topics
        self.collection = self.synthesized()
        by_name = not given.paths and given.citations is None and not self.synthetic
        if by_name or any(is_list(path) for path in given.paths):
            self.index_digest = self.indexed()
            self.topics = self.topics_made()
        else:
            self.topics = self.topics_made()
            self.index_digest = self.indexed()

    @property
    def synthetic(self) -> bool:
        return self.settings.collection is not None and self.settings.collection.synthetic is not None

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files of the collection."""
        source = self.settings.collection
        if source is None:
            return ()
        return source.paths or (self.folder / "collection" / "collection",)

    @property
    def names(self) -> Mapping[str, str]:
        return self.settings.collection.names if self.settings.collection is not None else {}

    @property
    def qrels(self) -> Path:
        """The judgements, whoever made them."""
        if self.settings.qrels is not None:
            return self.settings.qrels
        cited = self.settings.topics.citations is not None
        return self.folder / ("topics" if cited else "collection") / QRELS

    def synthesized(self) -> Stamp | None:
        """A made-up collection."""
        asked = self.settings.collection.synthetic if self.settings.collection is not None else None
        if asked is None:
            return None
        place = self.folder / "collection"
        depends = {"synthetic": asked, "code": code("synthetic")}
        return self.steps.step(
            "collection", depends, lambda _: synthesized(asked, place, self.steps, self.told("writing patents"))
        )

    def collection_digest(self) -> str | None:
        """What the collection holds; None where it is to be made."""
        if self.synthetic:
            return self.collection.digest if self.collection is not None else None
        return self.steps.digests.of_paths(self.paths)

    def indexed(self) -> str | None:
        """The index: what is there, or built. Its checksum; None where it is to be made."""
        given = self.settings.index
        if given.path is not None:
            return self.steps.digests.of_file(given.path / MANIFEST)
        depends = {
            "collection": self.collection_digest(),
            "names": self.names,
            "profile": given.profile,
            "fields": given.fields,
            "code": code(*INDEXING),
        }
        stamp = self.steps.step("index", depends, self.build, self.is_whole)
        return stamp.digest if stamp is not None else None

    @property
    def index_folder(self) -> Path:
        return self.settings.index.path or self.folder / "index"

    def is_whole(self) -> bool:
        try:
            return bool(open_index(self.index_folder).segments)
        except AntecedeError:
            return False

    def build(self, interrupted: bool) -> Written:
        """Build the index, going on with a build of the same that was stopped."""
        given, place = self.settings.index, self.index_folder
        collection = Collection(*map(str, self.paths), names=dict(self.names))
        plan = plan_of(collection, settings_for(given.profile, given.fields, collection), "index")
        left = interrupted and Work(place, plan).left_over() == plan

        def told(progress: Progress) -> None:
            self.report(f"index: {progress.step}", progress.done, progress.total)

        built = build_index(
            collection,
            place,
            profile=given.profile,
            fields=given.fields,
            memory=parse_size(given.memory),
            workers=given.workers,
            resume=left,
            overwrite=True,
            progress=told,
        )
        if not built.indexed:
            raise InputError("holds no patent that can be read", source=", ".join(map(str, self.paths)))
        facts = {name: each for name, each in built.to_dict().items() if name != "seconds"}
        files = [place / MANIFEST, *(file for _, file in files_in(place / SEGMENTS))]
        return Written(files, facts, "goes on with an unfinished build" if left else "")

    @property
    def index(self) -> Index:
        """The index, opened once."""
        if self.opened is None:
            self.opened = open_index(self.index_folder)
        return self.opened

    def topics_made(self) -> Stamp | None:
        """The topics as patents in a file, with what is known of them."""
        given = self.settings.topics
        asked = {name: each for name, each in given.__dict__.items() if name != "paths"}
        depends: dict[str, Any] = {"from": asked, "code": code(*READING, "experiment/gathering")}
        if given.citations is not None or (self.synthetic and not given.paths):
            depends |= {"collection": self.collection_digest(), "names": self.names}
        elif given.paths:
            depends |= {"topics": self.steps.digests.of_paths(given.paths)}
        else:
            depends |= {"qrels": self.steps.digests.of_file(self.qrels)}
        if any(map(is_list, given.paths)) or "qrels" in depends:
            depends |= {"index": self.index_digest}
        return self.steps.step("topics", depends, lambda _: self.make_topics())

    @property
    def topic_paths(self) -> tuple[Path, ...]:
        """Files of topics; none where the judgements name them."""
        if self.settings.topics.paths:
            return self.settings.topics.paths
        return (self.folder / "collection" / "topics",) if self.synthetic else ()

    def make_topics(self) -> Written:
        folder = made(self.folder / "topics")
        unread: dict[str, str] = {}
        facts: dict[str, Any] = {}
        outputs = [folder / TOPICS, folder / FACTS]
        if self.settings.topics.citations is not None:
            patents, facts = self.from_citations(folder)
            outputs.append(folder / QRELS)
        else:
            patents = self.patents_named(unread)
        told = self.write_topics(folder, patents, unread)
        return Written(outputs, {**told, **facts})

    def from_citations(self, folder: Path) -> tuple[Iterable[Patent], dict[str, Any]]:
        """Topics and judgements from the citations of the collection."""
        given = self.settings.topics
        found = make_topics(
            Collection(*map(str, self.paths), names=dict(self.names), progress=self.told("reading citations")),
            after=given.after,
            grading=given.grades,  # type: ignore[arg-type]
            citations=given.citations or "fields",  # type: ignore[arg-type]
            fewest=given.fewest,
            most=given.most,
        )
        write_whole(folder / QRELS, found.qrels().encode())
        return (found.records[topic] for topic in found.relevant), {"citations": found.to_dict()}

    def told(self, what: str) -> Callable[[int, int], None]:
        return lambda done, total: self.report(what, done, total)

    def patents_named(self, unread: dict[str, str]) -> Iterator[Patent]:
        """The topics of files, or those that are in the index by name."""
        paths = self.topic_paths
        listed = [path for path in paths if is_list(path)]
        if not paths or listed:
            named = dict.fromkeys(name for path in listed for name in names_in(path))
            yield from self.in_index(named if listed else judged(self.qrels, self.settings), unread)
        files = [str(path) for path in paths if path not in listed]
        if files:

            def refuse(each: Rejected) -> None:
                unread[each.doc_id or label_of(each)] = each.reason

            names = self.settings.topics.names or self.names
            yield from Collection(
                *files, names=dict(names), on_reject=refuse, progress=self.told("reading topics")
            ).patents()

    def in_index(self, names: Iterable[str], unread: dict[str, str]) -> Iterator[Patent]:
        for name in names:
            found = self.index.find_all(name)
            if len(found) != 1:
                unread[name] = not_one_document(found)
            else:
                yield found[0][0].store.record(found[0][1])

    def write_topics(self, folder: Path, patents: Iterable[Patent], unread: dict[str, str]) -> dict[str, Any]:
        """Write the topics down, and what is needed of each without reading it again."""
        lines: list[str] = []
        known: dict[str, dict[str, str]] = {}
        for patent in patents:
            if patent.doc_id in known:
                what = f"two topics are called {shown(patent.doc_id)}"
                raise InputError(what, source="topics", remedy="leave one of them out")
            lines.append(json.dumps(patent.to_dict(), ensure_ascii=False) + "\n")
            mark = digest(lines[-1]).removeprefix(MARK)[:32]
            known[patent.doc_id] = {
                "language": patent.language,
                "title": title_of(patent, patent.language),
                "digest": mark,
            }
        if not known:
            why = next(iter(unread.values()), "there is no patent in them")
            raise (self.settings.top / "topics").wrong(f"no topic could be read: {why}")
        write_whole(folder / TOPICS, "".join(lines).encode())
        whole = {"topics": known, "unread": unread}
        write_whole(folder / FACTS, json.dumps(whole, ensure_ascii=False).encode())
        languages = Counter(each["language"] for each in known.values())
        return {"topics": len(known), "unread": len(unread), "languages": dict(languages.most_common())}

    @property
    def known_topics(self) -> dict[str, Any]:
        """What is known of the topics, once they are made."""
        if self.topics is None:
            raise NotYet
        found: dict[str, Any] = json.loads((self.folder / "topics" / FACTS).read_bytes())
        return found

    def patents(self, names: Iterable[str]) -> list[Patent]:
        """Topics by name, read once."""
        from antecede.patent import Patent

        if self.read is None:
            with (self.folder / "topics" / TOPICS).open(encoding="utf-8") as lines:
                every = (Patent.from_dict(json.loads(line)) for line in lines)
                self.read = {each.doc_id: each for each in every}
        return [self.read[name] for name in names]


def judged(qrels: Path, settings: Settings) -> tuple[str, ...]:
    """The topics of judgements."""
    from antecede.trec import Policies, read_qrels

    return read_qrels(str(qrels), Policies(**settings.evaluation.reading)).topics


def label_of(each: Rejected) -> str:
    from pathlib import Path

    return f"{label(Path(each.file))}#{each.number}"
