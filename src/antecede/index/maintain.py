"""Builds an index, adds to it, and merges its segments into one."""

from __future__ import annotations

import errno
import json
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from antecede.corpus.collection import Collection
from antecede.errors import AntecedeError, InputError, UsageError, advise, printable, spell
from antecede.files import remedy_for
from antecede.index.build import Work, Writer, add_segment, plan_of, with_segment
from antecede.index.chunk import BuildSettings
from antecede.index.commit import check_place, clear, commit, write_beside, write_lock
from antecede.index.files import SEGMENTS
from antecede.index.index import StoredIndex
from antecede.index.manifest import NAME as MANIFEST
from antecede.index.manifest import (
    IndexSettings,
    Manifest,
    TranslationEntry,
    describe_space,
    read_manifest,
    translation_name,
)
from antecede.index.space_learning import (
    SpacePlan,
    are_current,
    check_models,
    extend_spaces,
    learn_spaces,
    plan_spaces,
    relearn_spaces,
)
from antecede.operations import Bundle, Help, Workers, operation
from antecede.parallel import MEMORY, parse_size, resources_for
from antecede.patent.texts import FIELDS
from antecede.results import concise_repr
from antecede.text.analyzer import collect_versions
from antecede.text.profiles import Profile, load_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypedDict

    from typing_extensions import Unpack

    from antecede.index.build import BuildProgress
    from antecede.index.manifest import SpaceEntry, SpaceKind
    from antecede.text.profiles import ProfileName

    class GivenBuilding(TypedDict, total=False):
        """The resources of a build as keyword arguments, for type checkers."""

        memory: int
        workers: int | None
        resume: bool

    class GivenBuild(GivenBuilding, total=False):
        """The same, with what an index contains."""

        profile: Profile | ProfileName
        fields: Sequence[str]
        positions: bool


def ignore_progress(_: BuildProgress) -> None:
    """No-op: progress is not reported."""


Memory = Annotated[
    int,
    Help(
        "The memory limit of all processes together.",
        metavar="SIZE",
        parse=parse_size,
        default="2GB",
    ),
]


@dataclass(frozen=True)
class IndexContent(Bundle):
    """What an index contains."""

    profile: Annotated[Profile | ProfileName, Help("How words become terms.")] = "default"
    fields: Annotated[
        Sequence[str],
        Help("The text fields to index; all fields are stored.", metavar="F,F,…", default=",".join(FIELDS)),
    ] = FIELDS
    positions: Annotated[
        bool,
        Help(
            "Index the places of words, which phrases, NEAR, ADJ, truncation and text fields in expressions need; "
            "without them an index is smaller.",
            flags="--positions/--no-positions",
        ),
    ] = True


@dataclass(frozen=True)
class Building(Bundle):
    """The resources of a build, and whether it continues an interrupted one."""

    memory: Memory = MEMORY
    workers: Workers = None
    resume: Annotated[bool, Help("Continue a build that was interrupted.")] = False


@dataclass(frozen=True)
class BuildReport:
    """The counts of a build or an addition: read = indexed + merged + rejected."""

    __repr__ = concise_repr

    read: int
    indexed: int
    merged: int
    rejected: int
    replaced: int
    """Documents of older segments that were replaced by a newer version."""
    languages: Mapping[str, int]
    """Documents with text in each language."""
    seconds: float
    reasons: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The counts in a JSON-compatible form."""
        return {**self.__dict__, "languages": dict(self.languages), "reasons": dict(self.reasons)}


@dataclass(frozen=True)
class MergeReport:
    """The counts of a merge."""

    segments: int
    """How many there were before the merge."""
    documents: int
    removed: int
    """Replaced documents that were removed."""
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.segments} segments merged into one: {self.documents} documents, "
            f"{self.removed} replaced documents removed, {self.seconds:.1f} seconds"
        )

    def to_dict(self) -> dict[str, Any]:
        """The counts in a JSON-compatible form."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class SpaceReport:
    """Which latent spaces were learned; a language with too few documents has none."""

    __repr__ = concise_repr

    spaces: tuple[SpaceEntry, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The spaces, as JSON knows them."""
        return {"spaces": [describe_space(entry) for entry in self.spaces], "seconds": self.seconds}


ON_DISK = (
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EROFS, errno.EPERM, errno.EIO, errno.ENOTDIR,
    errno.ENAMETOOLONG, errno.EMFILE, errno.ENFILE, errno.ELOOP,
)  # fmt: skip
"""Errors of the file system that a user can resolve."""


@contextmanager
def _report_disk_errors(folder: Path) -> Iterator[None]:
    """Report a full or read-only disk, or a lack of memory, as one clear line; the index is unchanged."""
    try:
        yield
    except OSError as error:
        at = None if error.filename is None else Path(os.fsdecode(error.filename)).absolute()
        own = folder.absolute()
        if error.errno in ON_DISK and at is not None and not (at.is_relative_to(own) or own.name in at.name):
            remedy = "check its permissions, or leave it out"
            raise InputError(f"cannot be read ({error.strerror})", source=str(at), remedy=remedy) from None
        if error.errno in ON_DISK:
            raise UsageError(
                f"{folder}: cannot be written ({error.strerror}); the index is unchanged: "
                f"{remedy_for(error)}; {advise('build_index and add_to_index', '`index` and `add`')} "
                f"continue with {spell('resume', True)}"
            ) from None
        raise
    except MemoryError:
        raise UsageError(f"{folder}: there is not enough memory; continue with fewer workers") from None


@contextmanager
def _changing(folder: Path) -> Iterator[Manifest]:
    """The state of an index, which is locked to be changed; what killed writers left is removed."""
    StoredIndex.open(folder)  # what is not an index is refused before anything is written there
    with _report_disk_errors(folder), write_lock(folder):
        manifest = StoredIndex.open(folder).manifest
        clear(folder, manifest)
        yield manifest


@operation
def build_index(
    collection: Collection | str | Path,
    out: str | Path,
    *,
    content: IndexContent = IndexContent(),
    spaces: Annotated[
        Sequence[SpacePlan],
        Help(
            "Also learn latent spaces: see antecede learn space.",
            flags="--space",
            metavar="lsa|words|both",
            parse=plan_spaces,
            default="none",
        ),
    ] = (),
    overwrite: Annotated[bool, Help("Replace an existing index.")] = False,
    building: Building = Building(),
    progress: Callable[[BuildProgress], None] = ignore_progress,
    **_given: Unpack[GivenBuild],
) -> BuildReport:
    """Build an index of a collection.

    Neither `memory` nor `workers` affects the result: the same collection gives the same bytes.

    Args:
        collection: The patents to index: a `Collection`, or the path of one.
        out: The folder of the index; it must be new or empty unless `overwrite` is set.
        content: What the index contains, as one value; a profile is a name or a `Profile`.
        spaces: The latent spaces to learn from it.
        memory: The memory limit in bytes, for all processes together.
        building: The resources, as one value. Unless there is one worker, a script must call this function below
            `if __name__ == "__main__":`.
        progress: Called with a `BuildProgress` as the work advances.
    """
    begun = time.monotonic()
    folder, source = Path(out), collection_of(collection)
    workers, resume = building.workers, building.resume
    chosen = replace(settings_for(content.profile, content.fields, source), positions=content.positions)
    writer = Writer(folder, resources_for(building.memory, workers), progress)
    kept: IndexSettings = {
        "profile": json.loads(chosen.profile.to_json()),
        "fields": list(chosen.fields),
        "positions": chosen.positions,
        "versions": collect_versions(),
    }
    for plan in spaces:
        plan.check(workers or 1)
    check_place(folder, source.paths)

    with _report_disk_errors(folder), write_lock(folder):
        work = Work(folder, plan_of(source, chosen, "index"))
        old = _state_of(folder, anew=overwrite)
        if old is not None and not overwrite:
            what = "an index already" + (", and no unfinished build" if resume else "")
            raise UsageError(
                f"{folder}: holds {what}; {advise('add_to_index', '`antecede add`')} adds to it, "
                f"or say {spell('overwrite', True)}"
            )
        if overwrite and not resume:
            work.remove()
        manifest = Manifest(kept, generation=_next_generation(folder, old))
        built, counts, languages = add_segment(writer, manifest, source, chosen, work, resume=resume)
        commit(folder, learn_spaces(writer, built, spaces), work.remove)
    return _make_report(counts, languages, source, begun)


@operation
def add_to_index(
    index: str | Path,
    collection: Collection | str | Path,
    *,
    building: Building = Building(),
    progress: Callable[[BuildProgress], None] = ignore_progress,
    **_given: Unpack[GivenBuilding],
) -> BuildReport:
    """Add documents to an index. A patent that is already in the index is replaced.

    The documents form a new segment, which is merged with older ones if there would be too many (`first_to_merge`).

    Args:
        index: The folder of the index.
        collection: The patents to add: a `Collection`, or the path of one.
        memory: The memory limit in bytes, for all processes together.
        building: The resources, as one value. Unless there is one worker, a script must call this function below
            `if __name__ == "__main__":`.
        progress: Called with a `BuildProgress` as the work advances.
    """
    begun = time.monotonic()
    folder, source = Path(index), collection_of(collection)
    check_models(StoredIndex.open(folder).manifest)
    check_place(folder, source.paths)
    writer = Writer(folder, resources_for(building.memory, building.workers), progress)
    with _changing(folder) as manifest:
        chosen = _settings_of(manifest, folder, source)
        work = Work(folder, plan_of(source, chosen, "add"))
        following = replace(manifest, generation=manifest.generation + 1)
        extended, counts, languages = add_segment(writer, following, source, chosen, work, resume=building.resume)
        commit(folder, extend_spaces(writer, extended), work.remove)
    return _make_report(counts, languages, source, begun)


def merge_index(
    index: str | Path,
    *,
    memory: Memory = MEMORY,
    workers: Workers = None,
    progress: Callable[[BuildProgress], None] = ignore_progress,
) -> MergeReport:
    """Merge all segments of an index into one, without the documents that were replaced.

    Latent spaces are learned anew.

    Args:
        index: The folder of the index.
        progress: Called with a `BuildProgress` as the work advances.
    """
    begun = time.monotonic()
    folder = Path(index)
    check_models(StoredIndex.open(folder).manifest)
    writer = Writer(folder, resources_for(memory, workers), progress)
    with _changing(folder) as manifest:
        segments = list(StoredIndex(folder, manifest).segments)
        before, removed = len(segments), sum(len(segment.deleted) for segment in segments)
        documents = sum(segment.documents for segment in segments) - removed
        rewrite = before > 1 or bool(removed)
        if rewrite or not are_current(manifest):
            following = replace(manifest, generation=manifest.generation + 1)
            if rewrite:
                following = with_segment(writer, following, segments)
            segments.clear()
            commit(folder, relearn_spaces(writer, following))
    return MergeReport(before, documents, removed, time.monotonic() - begun)


def learn_space(
    index: str | Path,
    *spaces: SpacePlan,
    kind: Annotated[
        SpaceKind | Literal["both"],
        Help("Latent semantic analysis, word vectors, both, or the vectors of a sentence model."),
    ] = "lsa",
    dimensions: Annotated[int | None, Help("The length of a vector.", metavar="D", default="300")] = None,
    model: Annotated[
        str | Path | None,
        Help("The folder of the sentence model of a dense space.", metavar="FOLDER", path=True),
    ] = None,
    memory: Memory = MEMORY,
    workers: Workers = None,
    progress: Callable[[BuildProgress], None] = ignore_progress,
) -> SpaceReport:
    """Learn latent spaces from the documents of an index, and store them with it.

    Args:
        index: The folder of the index.
        spaces: The spaces to learn, in place of a kind; an existing one of the same kind is replaced.
        workers: The number of threads; one per core by default.
        progress: Called with a `BuildProgress` as the work advances.
    """
    begun = time.monotonic()
    folder = Path(index)
    StoredIndex.open(folder)
    plans = spaces or plan_spaces(kind, dimensions, model)
    for plan in plans:
        plan.check(workers or 1)
    writer = Writer(folder, resources_for(memory, workers), progress)
    with _changing(folder) as manifest:
        following = replace(manifest, generation=manifest.generation + 1)
        learned = learn_spaces(writer, following, plans)
        commit(folder, learned)
    kinds = {plan.kind for plan in plans}
    return SpaceReport(tuple(entry for entry in learned.spaces if entry.kind in kinds), time.monotonic() - begun)


def remove_space(index: str | Path, kind: str) -> None:
    """Remove the latent spaces of a kind from an index."""
    folder = Path(index)
    with _changing(folder) as manifest:
        if all(entry.kind != kind for entry in manifest.spaces):
            there = ", ".join(dict.fromkeys(entry.kind for entry in manifest.spaces)) or "none"
            raise UsageError(f"{folder}: has no space of kind {printable(kind)!r} (it has {there})")
        kept = tuple(entry for entry in manifest.spaces if entry.kind != kind)
        commit(folder, replace(manifest, spaces=kept, generation=manifest.generation + 1))


def store_translation(index: str | Path, data: bytes) -> None:
    """Store a table of translations with an index; the one that is there is replaced."""
    folder = Path(index)
    with _changing(folder) as manifest:
        generation = manifest.generation + 1
        entry = TranslationEntry(generation, write_beside(folder, translation_name(generation), data))
        commit(folder, replace(manifest, generation=generation, translation=entry))


def _state_of(folder: Path, *, anew: bool) -> Manifest | None:
    """The manifest in a folder, if there is one; an unreadable one counts as none if the index is rebuilt (`anew`)."""
    try:
        return read_manifest(folder) if (folder / MANIFEST).exists() else None
    except AntecedeError:
        if anew:
            return None
        raise


def _next_generation(folder: Path, old: Manifest | None) -> int:
    """The generation of the next state; if the last one is not known, one higher than that of any segment."""
    if old is not None or not (folder / MANIFEST).exists():
        return old.generation + 1 if old is not None else 1
    return max((int(path.name[1:7]) for path in (folder / SEGMENTS).glob("s[0-9]*[0-9]")), default=0) + 1


def collection_of(given: Collection | str | Path) -> Collection:
    return given if isinstance(given, Collection) else Collection(given)


def settings_for(profile: Profile | str, fields: Sequence[str], collection: Collection) -> BuildSettings:
    """The settings for a new index."""
    if unknown := [name for name in fields if name not in FIELDS]:
        raise UsageError(f"no text field is called {unknown[0]!r}; there are {', '.join(FIELDS)}")
    if not fields:
        raise UsageError(f"name at least one text field: {', '.join(FIELDS)}")
    chosen = tuple(name for name in FIELDS if name in fields)
    return BuildSettings(load_profile(profile) if isinstance(profile, str) else profile, chosen, collection.names)


def _settings_of(manifest: Manifest, folder: Path, collection: Collection) -> BuildSettings:
    """The settings that an index was built with, so that added documents are treated alike."""
    settings = manifest.settings
    profile = Profile.from_json(json.dumps(settings["profile"]), source=str(folder))
    return BuildSettings(profile, tuple(settings["fields"]), collection.names, settings["positions"])


def _make_report(
    counts: Mapping[str, int], languages: Mapping[str, int], collection: Collection, begun: float
) -> BuildReport:
    reasons = dict(collection.ledger.reasons.most_common())
    return BuildReport(**counts, languages=languages, seconds=time.monotonic() - begun, reasons=reasons)
