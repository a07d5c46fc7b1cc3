"""Checks of the outputs of verbs: never over an input, and never over a file that antecede did not write.

Every option that names a path is marked `Input()` or `Output(kind)` where it is declared, and `verb` has all of them
checked before anything is read. An existing file is replaced only if it is empty or recognisably of the kind that the
option writes; anything else is refused, for the user to move or remove.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError, shown
from antecede.files import cannot_write, input_at, is_stream, mode_of, refuse_special

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HEAD = 1 << 16
"""The number of bytes by which a file of antecede is recognised."""
FOLDER = "folder"


@dataclass(frozen=True)
class Input:
    """Marks an option whose value is read; one that may be no path, such as a patent number, counts if it exists."""

    writes: tuple[str, ...] = ()
    """Files inside the folder that the verb itself writes there."""
    renewed_by: str = ""
    """The output that may replace it with its next version, once it has been read; foreign files stay refused."""


@dataclass(frozen=True)
class Output:
    """Marks an option whose value is written: a file of one of `KINDS`, or `FOLDER`, in which the verb checks files."""

    kind: str


def check_outputs(marks: Mapping[str, Input | Output], given: Mapping[str, Any]) -> None:
    """Refuse outputs that would destroy an input, one another, or a foreign file; nothing has been read yet."""
    outputs = {name: (Path(given[name]), mark.kind) for name, mark in marks.items()
               if isinstance(mark, Output) and given.get(name) is not None}  # fmt: skip
    if not outputs:
        return
    inputs = {name: mark for name, mark in marks.items() if isinstance(mark, Input)}
    for name, (path, kind) in outputs.items():
        for each, mark in inputs.items():
            if mark.renewed_by != name:
                check_apart(path, paths_of(given.get(each)), mark.writes)
        others = [other for key, (other, _) in outputs.items() if key != name]
        for other in others:
            check_distinct(path, other)
        if kind != FOLDER:
            check_file(path, kind)


def paths_of(value: Any) -> list[Path]:
    """The paths that an option names; `-` is the file that standard input is redirected from."""
    values = value if isinstance(value, list | tuple) else [value]
    return [path for each in values if each is not None for path in possible_paths(str(each))]


def possible_paths(given: str) -> list[Path]:
    """What a word may denote: a path, standard input, or the path of a run that is given as NAME=PATH."""
    if given == "-":
        return [Path("/dev/stdin")]
    name, _, path = given.partition("=")
    return [Path(given), *([Path(path)] if name and path else [])]


def check_apart(path: Path, inputs: Iterable[Path], allowed: Iterable[str] = ()) -> None:
    """Refuse an output that is an input, by whatever name, or lies inside one."""
    for given in inputs:
        found = input_at(path, [given])
        if found is None:
            continue
        if not found.is_dir():
            raise UsageError(f"{show_path(path)}: is read by this call, so it cannot be written; name another file")
        if not any(same_place(path, found / name) for name in allowed):
            raise UsageError(
                f"{show_path(path)}: lies inside {show_path(found)}, which is read; name a place outside of it"
            )


def check_distinct(path: Path, other: Path) -> None:
    """Refuse two outputs in one place, or one inside the other."""
    if same_place(path, other):
        if not is_stream(mode_of(path)):
            raise UsageError(f"{show_path(path)}: two outputs cannot go to one file; name another one")
    elif any(same_place(each, other) for each in path.absolute().parents):
        raise UsageError(
            f"{show_path(path)}: lies inside {show_path(other)}, which is also written; name another place"
        )


def same_place(path: Path, other: Path) -> bool:
    """Whether two paths lead to one place."""
    try:
        return path.resolve() == other.resolve() or (path.exists() and other.exists() and path.samefile(other))
    except (OSError, RuntimeError):
        return False


def check_file(path: Path, kind: str) -> None:
    """Refuse a place where a file cannot be written, or where another file would be lost."""
    noun, recognise = KINDS[kind]
    try:
        target = path.resolve()
        mode = mode_of(target)
        if is_stream(mode):
            return
        refuse_special(path, mode)
        check_writable(target)
        if mode is None or not target.stat().st_size or recognise(target):
            return
    except (OSError, RuntimeError) as error:
        raise cannot_write(path, error) from None
    raise UsageError(
        f"{show_path(path)}: already exists and is not {noun} of antecede; remove it, or name another file"
    )


def check_folder_files(folder: Path, files: Mapping[str, str], inputs: Iterable[str | Path]) -> None:
    """Check the files, by name and kind, that a verb writes into a folder; a new folder is made later."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{show_path(folder)}: is a file; name a folder with --out")
    read = paths_of([*inputs])
    for name, kind in files.items() if folder.is_dir() else ():
        check_apart(folder / name, read)
        check_file(folder / name, kind)


def check_writable(target: Path) -> None:
    """Raise the error that writing would end in, as far as it can be foreseen."""
    os.scandir(target.parent).close()
    for place in (target.parent, *([target] if target.exists() else [])):
        if not os.access(place, os.W_OK):
            raise PermissionError(13, "Permission denied")


def show_path(path: Path) -> str:
    return shown(str(path), 1000)


def head_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD)


def is_rejects(path: Path) -> bool:
    from antecede.corpus.ledger import is_rejects_line

    return is_rejects_line(head_of(path).partition(b"\n")[0])


def is_saved_ranks(path: Path) -> bool:
    import zipfile

    from antecede.evaluation.storage import DAMAGE, FORMAT

    try:
        with zipfile.ZipFile(path) as archive:
            return FORMAT.encode() in archive.read("head.npy")
    except DAMAGE:
        return False


def is_topic_scores(path: Path) -> bool:
    from antecede.comparison.gate import FORMAT

    return head_of(path).startswith(b"{") and f'"format": "{FORMAT}"'.encode() in head_of(path)[:200]


def is_figure(path: Path) -> bool:
    """A figure that antecede drew, by its metadata; an unknown extension is refused when the figure is drawn."""
    head, ending = head_of(path), path.suffix.lower()
    if ending == ".svg":
        return b"<svg" in head and b"<dc:title>antecede</dc:title>" in head
    if ending == ".png":
        return head.startswith(b"\x89PNG") and b"tEXtSoftware\0antecede" in head
    if ending == ".pdf":
        return head.startswith(b"%PDF") and b"/Creator (antecede)" in path.read_bytes()[-HEAD:]
    return True


def is_report(path: Path) -> bool:
    return b'<meta name="generator" content="antecede">' in head_of(path)


def is_run(path: Path) -> bool:
    """A TREC run whose tag names query methods, the ranking by evidence or a fusion: what `run` and `fuse` write."""
    from antecede.errors import InputError
    from antecede.fusion import FUSIONS
    from antecede.query.methods import METHODS
    from antecede.search.settings import BY_EVIDENCE
    from antecede.trec.content import read_content

    try:
        columns = read_content(path).data.partition(b"\n")[0].decode("utf-8", "replace").split(" ")
    except InputError:
        return False
    is_trec = len(columns) == 6 and columns[1] == "Q0" and columns[3] == "1"
    if not is_trec or columns[5].strip() in FUSIONS:
        return is_trec
    return all(part.partition("-")[0] in {*METHODS, BY_EVIDENCE} for part in columns[5].strip().split("+"))


def is_exported_run(path: Path) -> bool:
    """A run that `export` wrote: it begins with its metadata, or these are in the file beside it."""
    from antecede.errors import InputError
    from antecede.trec.content import read_content
    from antecede.trec.metadata import METADATA_FILE, START

    beside = path.with_name(METADATA_FILE)
    try:
        return read_content(path).data.startswith(START.encode()) or (beside.is_file() and is_run_metadata(beside))
    except InputError:
        return False


def is_run_metadata(path: Path) -> bool:
    from antecede.trec.metadata import MARK

    return head_of(path).startswith(MARK.encode())


def is_unfinished_run(path: Path) -> bool:
    from antecede.search.batch import MAGIC

    return head_of(path).startswith(MAGIC)


def is_topics(path: Path) -> bool:
    """The topics that `topics` wrote: patents as lines of JSON, with the file they were read from."""
    return first_topic(path) is not None


def first_topic(path: Path) -> str | None:
    import json

    try:
        with path.open("rb") as file:
            found = json.loads(file.readline())
        return str(found["doc_id"]) if {"doc_id", "source"} <= {*found} else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_topics_qrels(path: Path) -> bool:
    """The judgements that `topics` wrote: those of the topics in the file beside them."""
    topic = first_topic(path.with_name("topics.jsonl"))
    return topic is not None and head_of(path).split(b" ")[0] == topic.encode()


def is_translation(path: Path) -> bool:
    return head_of(path).startswith(b"antecede translation ")


def is_weights(path: Path) -> bool:
    """The weights of a ranking, as `learn` wrote them."""
    return b'"format": "antecede ranking"' in head_of(path)


def is_calibration(path: Path) -> bool:
    """A calibration, as `review calibrate` wrote it."""
    return b'"format": "antecede calibration"' in head_of(path)


def is_marks(path: Path) -> bool:
    """The marks of a review, as qrels with everything else about a mark in the second column."""
    from antecede.review.marks import ENCODED

    return f" {ENCODED}".encode() in head_of(path).partition(b"\n")[0]


def is_case(path: Path) -> bool:
    """A case, as `case export` wrote it."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - HEAD))
        return b'"format":"antecede case"' in file.read()


KINDS: dict[str, tuple[str, Callable[[Path], bool]]] = {
    "rejects": ("a list of rejected documents", is_rejects),
    "rank table": ("a rank table", is_saved_ranks),
    "topic scores": ("a file of topic scores", is_topic_scores),
    "figure": ("a figure", is_figure),
    "case": ("an exported case", is_case),
    "report": ("a report", is_report),
    "run": ("a run", is_run),
    "exported run": ("an exported run", is_exported_run),
    "run metadata": ("a file of run metadata", is_run_metadata),
    "unfinished run": ("an unfinished run", is_unfinished_run),
    "topics": ("a file of topics", is_topics),
    "translation": ("a table of translations", is_translation),
    "weights": ("a file of ranking weights", is_weights),
    "marks": ("a file of marks", is_marks),
    "calibration": ("a calibration", is_calibration),
    "qrels": ("a file of judgements for the topics beside it", is_topics_qrels),
}
"""The kinds of outputs: the noun for messages, and the function that recognises a file of that kind."""
