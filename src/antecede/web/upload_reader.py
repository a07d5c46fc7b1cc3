"""Reads an uploaded file in a process of its own, with bounded memory and time, and prints what it holds as JSON.

python -m antecede.web.upload_reader patent FILE NAME [DOC_ID]
python -m antecede.web.upload_reader case FILE STORE
"""

from __future__ import annotations

import atexit
import gc
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.corpus.applications import is_application, read_application
from antecede.corpus.collection import Collection, find_patent, only_patent
from antecede.errors import AntecedeError, InputError, shown
from antecede.web.case_file import SOURCE, unpack_case

if TYPE_CHECKING:
    from antecede.patent import Patent

MEMORY = 2 << 30
"""Bytes of address space."""
SECONDS = 60
"""Seconds of processor time."""
MOST_CHOICES = 500


def read_upload(path: Path, name: str, doc_id: str | None) -> dict[str, Any]:
    """The patent in a file, or those to choose from."""
    notes: list[str] = []
    if is_application(path):
        found: Patent | list[Patent] = read_application(path, notes.append)
    else:
        collection = Collection(str(path), on_note=notes.append)
        found = find_patent(collection, doc_id) if doc_id else only_patent(collection)
    kept = [note.replace(str(path), name) for note in notes]
    if isinstance(found, list):
        return {"choices": [choice(each) for each in found[:MOST_CHOICES]], "count": len(found), "notes": kept}
    record = {**found.to_dict(), "source": name}
    if is_application(path):
        record["doc_id"] = Path(name).name.replace(" ", "_") or "upload"
    return {"patent": record, "notes": kept}


def choice(patent: Patent) -> dict[str, Any]:
    """What a list shows of a patent."""
    return {
        "doc_id": patent.doc_id,
        "title": patent.title.get(patent.language) or next(iter(patent.title.values()), ""),
        "kinds": list(patent.kinds),
        "date": str(patent.publication_date) if patent.publication_date else None,
        "ipc": list(patent.ipc),
    }


def limit_resources() -> None:
    """Bound memory and processor time, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(kind: str, file: str, second: str, doc_id: str | None = None) -> int:
    """Read a patent, whose file is called `second`, or a case, which is written to the store `second`."""
    limit_resources()
    path, name = Path(file), second if kind == "patent" else SOURCE
    found: dict[str, Any] = {}
    try:
        if kind == "patent":
            found = read_upload(path, name, doc_id)
        else:
            unpack_case(path.read_bytes(), Path(second), SOURCE)
    except InputError as error:
        where = f", {error.doc_id}" if error.doc_id else ""
        remedy = f"; {error.remedy}" if kind == "case" and error.remedy else ""
        found = {"error": f"{name}{where}: {error.what}{remedy}".replace(file, name)}
    except AntecedeError as error:
        found = {"error": f"{name}: {error}".replace(file, name)}
    except MemoryError:
        found = {"error": f"{name}: needs more memory than the limit of {MEMORY >> 20} MB"}
    if "error" in found:
        found["error"] = shown(found["error"], 1000)
    sys.stdout.buffer.write(json.dumps(found).encode())
    return 0


if __name__ == "__main__":
    gc.disable()  # what is loaded and read makes many objects, and the process ends soon
    atexit.register(gc.freeze)
    sys.exit(main(*sys.argv[1:]))
