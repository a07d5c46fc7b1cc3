"""A collection in memory: dictionaries, patents, the rows of a frame, or a dataset of HuggingFace.

Each becomes a line of JSON and is read as one, so that names of fields, presets and messages are those of JSON lines.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from antecede.corpus.collection import Collection
from antecede.corpus.document import RawDocument
from antecede.corpus.formats.jsonl import ROOT
from antecede.errors import InputError, UsageError, describe_given, printable
from antecede.patent import Patent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.corpus.document import Rejected

SOURCE = "the documents"
"""What messages call them, followed by the number of one."""
EXPECTED = "give a path, a Collection, or dictionaries or patents in a list, a frame or a dataset"


class ObjectCollection(Collection):
    """Patents in memory; an iterator is read once. The first that cannot be read is an error.

    Args:
        documents: An iterable of dictionaries with the fields of JSON lines, or of patents; a frame of pandas or polars
            with a row for each; or a dataset of HuggingFace.
        names: The names of fields in them, as `{"doc_id": "key"}`.
    """

    def __init__(self, documents: object, *, names: Mapping[str, str] | None = None) -> None:
        super().__init__(names=names, strict=True)
        self.objects = _iterate_rows(documents)

    def raw(self) -> Iterator[RawDocument | Rejected]:
        number = 0
        for number, item in enumerate(self.objects, 1):
            yield RawDocument(_write_line(item, number), ROOT, SOURCE, number)
        if not number:
            raise InputError("are none", source=SOURCE, remedy="give at least one; an iterator can be read only once")

    def reject(self, rejected: Rejected) -> None:
        """Refuse the documents, of which one cannot be read."""
        where = f"{rejected.file}#{rejected.number}"
        raise InputError(rejected.reason, source=where, remedy="correct the document, or leave it out")


def _iterate_rows(documents: object) -> Iterable[Any]:
    """The documents one by one; refuse what holds none."""
    given: Any = documents
    if hasattr(given, "collect") and hasattr(given, "collect_schema"):  # a lazy frame of polars
        given = given.collect()
    if hasattr(given, "iter_rows"):
        return given.iter_rows(named=True)  # type: ignore[no-any-return]
    if hasattr(given, "to_dict") and hasattr(given, "columns"):
        columns = [str(name) for name in given.columns]
        return (dict(zip(columns, row, strict=True)) for row in given.itertuples(index=False, name=None))
    if isinstance(given, Mapping):
        splits = [str(name) for name, part in given.items() if hasattr(part, "column_names")]
        if splits:
            raise UsageError(f"documents: is a dataset with splits ({printable(', '.join(splits))}); give one of them")
        raise UsageError(f"documents: a single {type(given).__name__} is no collection; put dictionaries into a list")
    if not isinstance(given, Iterable) or isinstance(given, bytes | str) or getattr(given, "shape", None) == ():
        raise UsageError(f"documents: {describe_given(given)} is no collection; {EXPECTED}")
    return given


def _write_line(item: Any, number: int) -> bytes:
    """A document as a line of JSON; missing values are left out, as frames have them."""
    if isinstance(item, Patent):
        item = item.to_dict()
    if not isinstance(item, Mapping):
        raise InputError(f"is {describe_given(item)}, not a document", source=f"{SOURCE}#{number}", remedy=EXPECTED)
    present = {str(name): _whole(value) for name, value in item.items() if not _is_missing(value)}
    try:
        return json.dumps(present, ensure_ascii=True, default=_to_json).encode()
    except (TypeError, ValueError, RecursionError) as error:
        reason = f"has a value that cannot be read ({printable(str(error))})"
        raise InputError(reason, source=f"{SOURCE}#{number}", remedy="give texts, numbers and lists") from None


def _is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, or what pandas has for days and texts that are missing."""
    not_a_number = isinstance(value, float) and math.isnan(value)
    return value is None or not_a_number or type(value).__name__ in ("NaTType", "NAType")


def _whole(value: Any) -> Any:
    """Frames hold whole numbers, such as years, as floats where some are missing."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _to_json(value: Any) -> Any:
    """A value that JSON does not know: a day, an array or a number of numpy, another sequence."""
    if isinstance(value, date):  # also times
        return value.isoformat()[:10]
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray):
        return [*value]
    raise TypeError(f"a {type(value).__name__}")
