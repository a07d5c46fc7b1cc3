"""The manifest: what an index consists of. It is the only commit point, written to a temporary file and renamed.

It names every file with its size and checksums, so that damaged and foreign files are detected. It does not depend on
time or machine, so that the same collection gives the same bytes.

A latent space is part of the state that a manifest describes; an index without one has no such key in its manifest. The
number of a folder is that of the generation which wrote it:

segments/space-000004/en-lsa/…               the basis: terms, their weights, and the vector of each
segments/space-000004-s000001/en-lsa.f32     the vectors of the documents of segment s000001, a row of its matrix each
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, get_args

from typing_extensions import TypedDict

from antecede.errors import InputError, advise, printable
from antecede.files import open_regular, read_regular, write_whole
from antecede.index.files import MAX_DOCUMENTS, File, LanguageCounts, folder_of, segment_files
from antecede.patent.texts import FIELDS
from antecede.validation import Count, FieldError, limited, matching, parse

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


NAME = "manifest.json"
FORMAT = "antecede index"
VERSION = 7
COUNTED = ("read", "indexed", "merged", "rejected", "replaced")
AGAIN = "build the index again"
SpaceKind = Literal["lsa", "words", "dense"]
LSA: SpaceKind
WORDS: SpaceKind
DENSE: SpaceKind
LSA, WORDS, DENSE = get_args(SpaceKind)
LEARNED = (LSA, WORDS)
"""The kinds of space that are learned from the collection alone."""
KINDS = (*LEARNED, DENSE)
MAX_DIMENSIONS = 4096
TERMS, TERMS_PTR, WEIGHTS, BASIS, SHIFT = "terms.u8", "terms_ptr.i64", "weights.f32", "basis.f32", "shift.f32"
"""The files of a basis."""
Generation = Annotated[int, limited(ge=1, le=10**15 - 1)]
LanguageName = Annotated[str, matching(r"[^\x00-\x20/\\\x7f-\x9f]{0,40}")]
SegmentName = Annotated[str, matching("s[0-9]{6,15}")]
DeletionsName = Annotated[str, matching(r"s[0-9]{6,15}-deleted-[0-9]{6,15}\.u32")]
Dimensions = Annotated[int, limited(ge=1, le=MAX_DIMENSIONS)]


class SpaceParameters(TypedDict):
    """What a space was learned with."""

    version: Count
    dimensions: Dimensions
    folder: NotRequired[str]
    """The folder of the sentence model of a dense space."""
    model: NotRequired[str]
    """What identifies it."""


@dataclass(frozen=True)
class SegmentVectors:
    """The vectors of the documents of one segment."""

    generation: Generation
    """Which generation wrote them."""
    file: File


@dataclass(frozen=True)
class SpaceEntry:
    """A latent space of one language."""

    kind: Annotated[str, matching("|".join(KINDS))]
    language: LanguageName
    dimensions: Dimensions
    terms: Annotated[int, limited(ge=0, le=1 << 24)]
    documents: Annotated[int, limited(ge=1, le=1 << 53)]
    """From how many documents the basis was learned; those that were added later are folded in."""
    generation: Generation
    """Which generation learned the basis."""
    parameters: SpaceParameters
    files: dict[str, File]
    """The files of the basis."""
    segments: dict[SegmentName, SegmentVectors]

    @property
    def name(self) -> str:
        """The folder of the basis, and the file of the vectors, within their folders."""
        return f"{folder_of(self.language)}-{self.kind}"

    @property
    def folder(self) -> str:
        """The folder of the basis, below that of the segments."""
        return f"{basis_folder(self.generation)}/{self.name}"

    def vectors_path(self, segment: str) -> str:
        """The file of the vectors of a segment, below the folder of the segments."""
        return f"{vectors_folder(self.segments[segment].generation, segment)}/{self.name}.f32"

    def all_files(self) -> dict[str, File]:
        """Every file, by its path below the folder of the segments."""
        basis = {f"{self.folder}/{name}": file for name, file in self.files.items()}
        return {**basis, **{self.vectors_path(name): vectors.file for name, vectors in self.segments.items()}}

    def folders(self) -> set[str]:
        """The folders, below that of the segments, that hold its files."""
        return {path.partition("/")[0] for path in self.all_files()}


def describe_space(entry: SpaceEntry) -> dict[str, Any]:
    """What a user wants to know of a space."""
    return {
        "kind": entry.kind,
        "language": entry.language or "unknown",
        "dimensions": entry.dimensions,
        "terms": entry.terms,
        "learned_from": entry.documents,
        "bytes": sum(file.size for file in entry.all_files().values()),
    }


def basis_folder(generation: int) -> str:
    """The folder of what a generation learned."""
    return f"space-{generation:06d}"


def vectors_folder(generation: int, segment: str) -> str:
    """The folder of the vectors that a generation made for a segment."""
    return f"{basis_folder(generation)}-{segment}"


def basis_files(kind: str) -> set[str]:
    """Every file of a basis."""
    if kind == DENSE:
        return set()
    return {TERMS, TERMS_PTR, WEIGHTS, BASIS, *((SHIFT,) if kind == WORDS else ())}


class _TreatmentSettings(TypedDict):
    """What is done to the words of a language: `antecede.text.profiles.Treatment`."""

    stemmer: str | None
    stop_words: list[str]
    folding: NotRequired[str]
    elisions: NotRequired[bool]


class _ProfileSettings(TypedDict):
    """How words are converted to terms: `antecede.text.profiles.Profile`."""

    version: Count
    name: str
    treatments: dict[str, _TreatmentSettings]
    shortest: Count
    longest: Count
    others: NotRequired[_TreatmentSettings]
    names: NotRequired[str]


class IndexSettings(TypedDict):
    """How an index was built."""

    profile: _ProfileSettings
    fields: Annotated[list[Annotated[str, matching("|".join(FIELDS))]], limited(min_length=1)]
    positions: bool
    """Whether the places of words are indexed."""
    versions: dict[str, str]


@dataclass(frozen=True)
class SegmentEntry:
    """A segment in the manifest: its files and counts."""

    name: SegmentName
    documents: Annotated[int, limited(ge=1, le=MAX_DOCUMENTS)]
    languages: dict[LanguageName, LanguageCounts]
    files: dict[str, File]
    counts: dict[str, Count]
    """Documents read, indexed, merged, rejected, and replaced in older segments, when it was built."""
    deleted: DeletionsName | None = None
    """The file, beside the segments, that lists those of its documents that a later segment replaced."""


@dataclass(frozen=True)
class TranslationEntry:
    """The table of translations that is stored with an index.

    What is in it is the concern of `antecede.query.translation`; here it is bytes with a checksum.
    """

    generation: Generation
    """Which generation stored it."""
    file: File

    @property
    def name(self) -> str:
        """Its file, below the folder of the segments."""
        return translation_name(self.generation)


def translation_name(generation: int) -> str:
    """The name of the table of translations that a generation stores."""
    return f"translation-{generation:06d}.zst"


@dataclass(frozen=True)
class Manifest:
    """One state of an index."""

    settings: IndexSettings
    segments: tuple[SegmentEntry, ...] = ()
    generation: Generation = 1
    """The number of this state; each build, add and merge makes the next one."""
    deletions: dict[DeletionsName, File] = field(default_factory=dict)
    spaces: tuple[SpaceEntry, ...] = ()
    """The latent spaces; a manifest without any does not mention them."""
    translation: TranslationEntry | None = None
    """The table of translations, if one is stored."""

    @property
    def counts(self) -> dict[str, int]:
        """The counts over all segments."""
        return {name: sum(segment.counts[name] for segment in self.segments) for name in COUNTED}

    def files(self) -> dict[str, File]:
        """Every file but the manifest itself, by its path below the folder of the segments."""
        files = {f"{entry.name}/{name}": file for entry in self.segments for name, file in entry.files.items()}
        for space in self.spaces:
            files |= space.all_files()
        if self.translation is not None:
            files[self.translation.name] = self.translation.file
        return {**files, **self.deletions}

    def to_dict(self) -> dict[str, Any]:
        """The manifest in a JSON-compatible form."""
        optional = ("spaces", "translation")
        return {name: value for name, value in asdict(self).items() if value or name not in optional}

    def serialize(self) -> bytes:
        """The manifest as the bytes of its file: a checksum, then the content."""
        return serialize(self.to_dict())

    def digest(self) -> str:
        """What identifies the state."""
        return hashlib.sha256(self.serialize()).hexdigest()

    def write(self, folder: Path) -> None:
        """Make this the state of the index in a folder, atomically."""
        write_whole(folder / NAME, self.serialize())


def read_manifest(folder: Path) -> Manifest:
    """Read the state of the index in a folder. A foreign, newer or damaged manifest is refused by name."""
    path = folder / NAME
    try:
        data = read_regular(path)
        content = json.loads(data)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(_describe_missing(folder), source=str(folder)) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path)) from None
    except (ValueError, RecursionError):
        raise InputError("is damaged: it is not JSON", source=str(path), remedy=AGAIN) from None
    _check_header(content, path)
    if not _is_whole(content, data):
        raise InputError("is damaged: its checksum does not match", source=str(path), remedy=AGAIN)
    try:
        manifest = parse(Manifest, json.dumps(content["index"]))
        _check_agreement(manifest)
    except (FieldError, RecursionError) as error:
        raise InputError(f"is not a manifest that antecede wrote: {error}", source=str(path), remedy=AGAIN) from None
    return manifest


def _is_whole(content: dict[str, Any], data: bytes) -> bool:
    """Whether a manifest is, byte for byte, what `Manifest.serialize` writes, its checksum included."""
    try:
        return serialize(content["index"]) == data
    except (ValueError, RecursionError):
        return False


def is_index(folder: Path) -> bool:
    """Whether a folder holds an index of antecede, of any version."""
    try:
        with open_regular(folder / NAME) as file:
            return json.dumps({"format": FORMAT}).encode()[:-1] in file.read(64)
    except OSError:
        return False


def _check_header(content: Any, path: Path) -> None:
    """Refuse a manifest that is not one of antecede, or of a version that this program does not read."""
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("index"), dict):
        remedy = f"name the folder that {advise('build_index', '`index --out`')} made"
        raise InputError("is not an index of antecede", source=str(path), remedy=remedy)
    if content.get("version") != VERSION:
        what = f"index format version {printable(str(content.get('version')))}, this program reads version {VERSION}"
        remedy = "build the index again, or use the version of antecede that made it"
        raise InputError(what, source=str(path), remedy=remedy)


def _describe_missing(folder: Path) -> str:
    """What a folder without a manifest is."""
    if str(folder).startswith(("opensearch:/", "opensearchs:/")):
        return "is on a cluster; this needs an index in a folder"
    if not folder.exists():
        return f"there is no such index; {advise('build_index', '`antecede index COLLECTION --out`')} makes one"
    if not folder.is_dir():
        return "is a file, not an index"
    if (folder / "work").is_dir():
        resume = advise("build_index(…, resume=True)", "`antecede index … --resume`")
        return f"holds an unfinished build; {resume} continues it"
    return "is not an index: it has no manifest.json"


def serialize(index: dict[str, Any]) -> bytes:
    """The JSON-compatible form of a manifest as the bytes of its file."""
    content = json.dumps(index, ensure_ascii=False)
    digest = hashlib.sha256(content.encode()).hexdigest()
    head = json.dumps({"format": FORMAT, "version": VERSION, "sha256": digest})
    return f'{head[:-1]}, "index": {content}}}\n'.encode()


def _check_agreement(manifest: Manifest) -> None:
    """Refuse a manifest that names other files than an index has, or whose counts of documents do not add up.

    What is in a file is checked where it is read.
    """
    names = [entry.name for entry in manifest.segments]
    spaces = [(entry.kind, entry.language) for entry in manifest.spaces]
    if not names or len(set(names)) < len(names):
        raise FieldError("must be at least one, without duplicates", "segments")
    if len(set(spaces)) < len(spaces):
        raise FieldError("must be without duplicates", "spaces")
    positions = manifest.settings["positions"]
    for at, segment in enumerate(manifest.segments):
        _check_names(segment.files, segment_files(segment.languages, positions=positions), "segments", at, "files")
        _check_names(segment.counts, {*COUNTED}, "segments", at, "counts")
        counted = segment.counts
        if counted["read"] != counted["indexed"] + counted["merged"] + counted["rejected"]:
            raise FieldError("do not add up: read = indexed + merged + rejected", "segments", at, "counts")
        if segment.deleted is not None and not segment.deleted.startswith(f"{segment.name}-"):
            raise FieldError("is not a list of its own documents", "segments", at, "deleted")
    lists = {entry.deleted for entry in manifest.segments if entry.deleted is not None}
    _check_names(manifest.deletions, lists, "deletions")
    deleted = sum(file.size for file in manifest.deletions.values()) // 4
    live = sum(segment.documents for segment in manifest.segments) - deleted
    if live != manifest.counts["indexed"] - manifest.counts["replaced"]:
        raise FieldError(f"hold {live} documents, the counts say otherwise", "segments")
    for at, space in enumerate(manifest.spaces):
        own = {entry.name for entry in manifest.segments if space.language in entry.languages}
        _check_names(space.segments, own, "spaces", at, "segments")
        _check_names(space.files, basis_files(space.kind), "spaces", at, "files")
        needed = {"version", "dimensions", *(("folder", "model") if space.kind == DENSE else ())}
        _check_names(space.parameters, needed, "spaces", at, "parameters")
    if _latest_generation(manifest) > manifest.generation:
        raise FieldError("is earlier than that of a part", "generation")


def _check_names(given: Iterable[str], needed: set[str], *at: str | int) -> None:
    if differing := sorted(needed.symmetric_difference(given)):
        raise FieldError(f"{printable(differing[0])} is {'missing' if differing[0] in needed else 'unknown'}", *at)


def _latest_generation(manifest: Manifest) -> int:
    """The latest generation that wrote a part of a manifest."""
    numbers = [int(entry.name[1:]) for entry in manifest.segments]
    for space in manifest.spaces:
        numbers += [space.generation, *(vectors.generation for vectors in space.segments.values())]
    return max(numbers + ([] if manifest.translation is None else [manifest.translation.generation]))
