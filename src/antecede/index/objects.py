"""An index of what Python has, opened at once: `ac.build_index(documents).search("words")`."""

from __future__ import annotations

import shutil
import tempfile
import warnings
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from antecede.corpus.collection import Collection
from antecede.corpus.objects import ObjectCollection
from antecede.engine import Engine, open_index
from antecede.errors import UsageError
from antecede.index.maintain import build_index
from antecede.patent.texts import FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.patent import Patent
    from antecede.text.profiles import Profile, ProfileName


class SearchableIndex(Engine, Protocol):
    """An opened index: `antecede.search.Index` says what `search` takes and returns."""

    def search(self, *arguments: Any, **options: Any) -> Any: ...
    def patent(self, name: str) -> Patent: ...


def index_documents(
    documents: object,
    out: str | Path | None = None,
    *,
    names: Mapping[str, str] | None = None,
    profile: Profile | ProfileName = "default",
    fields: Sequence[str] = FIELDS,
    workers: int | None = 1,
    overwrite: bool = False,
) -> SearchableIndex:
    """Build an index of documents, and open it for searching.

    Args:
        documents: A path, a `Collection`, an iterable of dictionaries or patents, a frame of pandas or polars, or a
            dataset of HuggingFace. Dictionaries and rows have the fields of JSON lines, such as `doc_id`, `title` and
            `abstract`; one that cannot be read is an error.
        out: The folder of the index, new or empty; without it the index is temporary, and is removed with the object.
        names: The names of fields in the documents, as `{"doc_id": "key"}`.
        profile: How words are converted to terms: `default` or `published`, or a `Profile`.
        fields: The fields to index; the whole document is stored in any case.
        workers: The number of processes; one per core if None. Unless it is 1, a script must call this function below
            `if __name__ == "__main__":`.
        overwrite: Replace an existing index.
    """
    if isinstance(documents, Collection):
        if names is not None:
            raise UsageError("names: a Collection has names of its own; give them to the Collection")
        collection = documents
    elif isinstance(documents, str | Path):
        collection = Collection(documents, names=names)
    else:
        collection = ObjectCollection(documents, names=names)
    folder = Path(tempfile.mkdtemp(prefix="antecede-")) if out is None else Path(out)
    try:
        report = build_index(collection, folder, profile=profile, fields=fields, workers=workers, overwrite=overwrite)
        index = cast("SearchableIndex", open_index(folder))
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if out is None:
        weakref.finalize(index, shutil.rmtree, folder, ignore_errors=True)
    if report.rejected:
        first = next(iter(report.reasons), "")
        warnings.warn(f"{report.rejected} of {report.read} documents were rejected: {first}", stacklevel=2)
    return index
