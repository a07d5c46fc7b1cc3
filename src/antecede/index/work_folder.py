"""The work folder: the progress of a build on disk, so that a killed build can be resumed.

    work/plan.json              what is being built: inputs and settings; a resumed build must have the same
    work/…/chunk-000001         finished chunks, in a folder named after the plan
    work/committed              the digest of the final manifest, written just before it is committed

A worker that outlives a killed build can only write into the folder of its own plan, where any other worker would write
the same.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError
from antecede.files import stamp_of, write_whole
from antecede.index.chunk import Sections, check_chunk
from antecede.index.commit import GONE, WORK
from antecede.index.files import read_regular, remove_tree
from antecede.index.manifest import NAME, Counts
from antecede.index.validation import Count, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.corpus.collection import Collection
    from antecede.index.chunk import ChunkFacts, Settings
    from antecede.index.manifest import Manifest

PLAN, COMMITTED = "plan.json", "committed"
VERSION = 3
"""The version of the chunks: a build of another version is not resumed."""


@dataclass(frozen=True)
class AddCounts:
    """The counts of a build or an add."""

    counts: Counts
    """Documents read, indexed, merged, rejected, and replaced in older segments."""
    languages: dict[str, Count]
    """Number of documents with text in each language."""


@dataclass(frozen=True)
class _Committed(AddCounts):
    state: str
    """The digest of the manifest."""


class Work:
    """The unfinished part of a build."""

    def __init__(self, index: Path, plan: dict[str, Any]) -> None:
        self.index, self.folder, self.plan = index, index / WORK, plan
        self.chunks = self.folder / hashlib.sha256(json.dumps(plan).encode()).hexdigest()[:16]

    def left_over(self) -> dict[str, Any] | None:
        """The plan of a build that was not finished, if there is one."""
        try:
            found: dict[str, Any] = json.loads(read_regular(self.folder / PLAN))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, RecursionError):
            return {}
        return found

    def begin(self, *, resume: bool) -> None:
        """Start a build, or resume one with the same plan; never mix two builds."""
        plan = self.left_over()
        if plan is not None and not resume:
            raise UsageError(f"{self.index}: holds an unfinished build; --resume continues it, or delete {self.folder}")
        if plan is not None and plan != self.plan:
            raise UsageError(
                f"{self.index}: the unfinished build is of other files or settings; "
                f"give the same to continue it, or delete {self.folder}"
            )
        if plan is None:
            self.remove()
            self.folder.mkdir(parents=True)
            write_whole(self.folder / PLAN, json.dumps(self.plan, ensure_ascii=False).encode())
        if self.chunks.is_symlink():
            raise UsageError(f"{self.chunks}: is a link; delete {self.folder}")
        self.chunks.mkdir(exist_ok=True)

    def record_commit(self, manifest: Manifest, added: AddCounts) -> None:
        """Record the state of the index that is about to contain this build, and the counts of the build."""
        state = hashlib.sha256(manifest.serialize()).hexdigest()
        remove_tree(self.folder / COMMITTED)  # a link would be followed
        write_whole(self.folder / COMMITTED, json.dumps({**asdict(added), "state": state}).encode())

    def committed_counts(self) -> AddCounts | None:
        """The counts of the build, if it was committed and only the cleanup was left."""
        try:
            state = hashlib.sha256(read_regular(self.index / NAME)).hexdigest()
            committed = parse(_Committed, read_regular(self.folder / COMMITTED))
        except (OSError, ValueError):
            return None
        return committed if committed.state == state else None

    def chunk_path(self, number: int) -> Path:
        """The file of a chunk."""
        return self.chunks / f"chunk-{number:06d}"

    def late_path(self, number: int) -> Path:
        """The file of a late chunk: patents whose documents were not adjacent."""
        return self.chunks / f"late-{number:06d}"

    def finished_chunk(self, number: int, signature: int) -> ChunkFacts | None:
        """The facts of a chunk that exists, is intact, and was made from the same input."""
        try:
            sections = Sections(self.chunk_path(number), foreign=True)
            if sections.facts["input"] != signature or not sections.is_intact():
                return None
            check_chunk(sections)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return sections.facts

    def remove(self) -> None:
        """Rename the work folder, which is atomic, then remove it."""
        gone = self.folder.with_name(WORK + GONE)
        remove_tree(gone)
        if self.folder.exists():
            self.folder.replace(gone)
            remove_tree(gone)


def plan_of(collection: Collection, settings: Settings, purpose: str) -> dict[str, Any]:
    """The plan of a build, which can be resumed only if nothing of it has changed."""
    files = sorted(file for path in collection.paths for file in _files_under(Path(path)))
    stamps = [[str(file), *stamp_of(file.stat())] for file in files]
    return {
        "version": VERSION,
        "purpose": purpose,
        "files": len(files),
        "input": hashlib.sha256(json.dumps(stamps).encode()).hexdigest(),
        "profile": hashlib.sha256(settings.profile.to_json().encode()).hexdigest(),
        "fields": list(settings.fields),
        "names": dict(settings.names),
    }


def _files_under(path: Path) -> Iterator[Path]:
    """The files of a path, for the plan."""
    if path.is_dir():
        yield from (each for each in path.rglob("*") if os.path.isfile(each))  # noqa: PTH113 - False where it may not be examined
    elif path.is_file():
        yield path
