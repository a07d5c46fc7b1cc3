"""Reads topics: patents in files of any format, or a list of names of patents in the index."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.corpus import Collection
from antecede.corpus.applications import is_application, read_application
from antecede.corpus.beir import find_queries
from antecede.corpus.references import find_dialect
from antecede.corpus.streams import strip_byte_order_marks
from antecede.corpus.table_splitter import find_table
from antecede.engine import explain_no_document, read_record
from antecede.errors import InputError, advise
from antecede.search.batch import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from antecede.corpus.document import Rejected
    from antecede.engine import Engine
    from antecede.patent import Patent

PROBE_BYTES = 4096
"""Bytes that distinguish a list of names from a file of patents."""
BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f]")
"""Control characters: a text has none, a compressed file has some within its first bytes."""
MAX_WORDS = 12
"""Words on a line of a list: a line of a run has six. A line with more is prose."""
TOPICS = ("topics.jsonl", "topics")
"""The names of the topics in a folder that `antecede topics` or `antecede synthesize` wrote."""
OTHER_FILES = {"qrels.txt", "topics.tsv", "collection", "README.md"}
"""What else these commands write. A folder with any other file is the user's own and is read as a whole."""


def read_topics(
    index: Engine,
    path: str,
    *,
    names: Mapping[str, str] | None = None,
    on_note: Callable[[str], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Patent | Answer]:
    """The topics in a file, folder or archive, merged from their documents; or those that a text names, one per line.

    A list of names may be a qrels file: the first column counts, each name once. The text of an application (text, PDF,
    DOCX) is one topic. What cannot be read or is not in the
    index is an `Answer` that says so. `names` is what a JSON source or a table calls our fields.
    """
    path = _locate_topics(path)
    if path != "-" and is_list(Path(path)):
        return list(_find_named_topics(index, Path(path)))
    if path != "-" and is_application(path):
        return [read_application(path, on_note)]
    rejected: list[Rejected] = []
    collection = Collection(path, names=names, on_reject=rejected.append, on_note=on_note, progress=progress)
    topics: list[Patent | Answer] = list(collection.patents())
    topics += [Answer(each.doc_id or f"{each.file}#{each.number}", failed=each.reason) for each in rejected]
    if not topics:
        remedy = advise("give files of patents", "`antecede list formats PATH` shows what it holds")
        raise InputError("holds no topic", source=path, remedy=remedy)
    return topics


def _locate_topics(path: str) -> str:
    """The path of the topics in a folder of BEIR, or one that antecede wrote; any other path as it is."""
    folder = Path(path)
    if (queries := find_queries(folder)) is not None:
        return str(queries)
    if not (folder / "qrels.txt").is_file():
        return path
    others = {each.name for each in folder.iterdir()} - OTHER_FILES
    return str(folder / others.pop()) if len(others) == 1 and others <= {*TOPICS} else path


def is_list(path: Path) -> bool:
    """Whether a file is a text of names: no markup, no JSON, no table, no references, no prose, nothing packed."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = strip_byte_order_marks(file.read(PROBE_BYTES)).lstrip()
    if not head or head.startswith((b"{", b"[", b"<", b"%PDF-")) or BINARY.search(head) is not None:
        return False
    lines = [line for line in head.splitlines() if not line.startswith(b"#")]
    short = max(len(line.split()) for line in lines or [b""]) <= MAX_WORDS
    return short and find_dialect(head) is None and find_table(head, {}) is None


def _find_named_topics(index: Engine, path: Path) -> Iterator[Patent | Answer]:
    for name in names_in(path):
        numbers = index.numbers_of(name)
        if len(numbers) != 1:
            yield Answer(name, failed=explain_no_document(index, numbers))
        else:
            yield read_record(index, int(numbers[0]))


def names_in(path: Path) -> list[str]:
    """The names in a text, the first word of each line, each once."""
    lines = path.read_text("utf-8", errors="replace").lstrip("\ufeff").splitlines()
    return list(dict.fromkeys(line.split()[0] for line in lines if line.strip() and not line.startswith("#")))
