"""What an answer of a cluster must be, so that the code that uses it may trust it. A cluster is asked, not trusted.

Keys that are not used are left alone: versions of OpenSearch differ in them.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from antecede.index.schema import (
    INDEX_SETTINGS,
    SchemaError,
    anything,
    describe_value,
    integer,
    list_of,
    optional,
    record,
    table,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antecede.index.schema import Rule

MOST_NUMBERS = 1 << 32
"""Numbers of documents are kept in 32 bits."""
MOST_SHARDS = 1024
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""The days of the years 1 to 9999, since 1970."""


def part(fields: dict[str, Rule], needed: Iterable[str] | None = None) -> Rule:
    """An object with these keys, and any others."""
    return record(fields, needed=needed, others=True)


def _amount(value: Any) -> None:
    """Rule: a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -math.inf < value < math.inf:
        raise SchemaError(f"must be a number, it is {describe_value(value)}")


def digits(value: Any) -> None:
    """Rule: a whole number that is written as a text, as settings are."""
    if not isinstance(value, str) or re.fullmatch("[0-9]{1,9}", value) is None:
        raise SchemaError(f"must be a number, it is {describe_value(value)}")


def every(*rules: Rule) -> Rule:
    """A value that satisfies several rules."""

    def check(value: Any) -> None:
        for rule in rules:
            rule(value)

    return check


COUNT, TEXT, OBJECT = integer(), text(), table(anything, anything)
NUMBER = integer(0, MOST_NUMBERS - 1)

# Searches
SEARCH = part(
    {
        "_shards": part({"total": COUNT, "successful": COUNT, "failed": COUNT}),
        "hits": part({"hits": list_of(OBJECT), "total": part({"value": COUNT})}, needed=("hits",)),
        "aggregations": OBJECT,
    },
    needed=("_shards", "hits"),
)
VALUE = part({"value": optional(_amount)})
COUNTED = part({"doc_count": COUNT})
YEARS = {
    "days": part({"buckets": list_of(part({"key": TEXT, "doc_count": COUNT}))}),
    "numbers": part({"buckets": list_of(part({"key": integer(FIRST_DAY, LAST_DAY), "doc_count": COUNT}))}),
    "undated": COUNTED,
}
CLASSES = {"values": part({"buckets": table(TEXT, COUNTED)})}
VALUES = {
    "values": part({"buckets": list_of(part({"key": TEXT, "doc_count": COUNT})), "sum_other_doc_count": COUNT}),
}
NAMES = part(
    {"buckets": table(TEXT, part({"forms": part({"buckets": list_of(part({"key": TEXT}))})}))},
)
CODES = part({"buckets": list_of(part({"key": part({"code": TEXT})}))})


def both(inner: dict[str, Rule], needed: Iterable[str] = ()) -> Rule:
    """Aggregations of documents, and of those of them that were retrieved."""
    fields, names = {"doc_count": COUNT, **inner}, ("doc_count", *needed)
    return part({**fields, "retrieved": part(fields, names)}, (*names, "retrieved"))


# Indices
PLACE = part(
    {
        "settings": part({"index": part({"uuid": TEXT, "number_of_shards": digits, "number_of_replicas": digits})}),
        "mappings": part({"_meta": OBJECT, "properties": OBJECT}, needed=()),
        "aliases": OBJECT,
    },
    needed=("settings", "mappings"),
)
INDICES = table(TEXT, PLACE)
MAPPINGS = table(TEXT, part({"mappings": part({"properties": OBJECT})}))
META = part(
    {
        "settings": INDEX_SETTINGS,
        "documents": NUMBER,
        "next": NUMBER,
        "counts": table(TEXT, COUNT),
        "languages": table(TEXT, part({"documents": NUMBER, "tokens": COUNT})),
        "generation": COUNT,
    },
    needed=("settings", "documents", "next", "counts", "languages"),
)
"""Our facts about an index that was loaded completely."""
SHARDS = part({"shards": list_of(list_of(part({"shard": integer(0, MOST_SHARDS - 1)})))})
PRIMARIES = part({"docs": part({"deleted": COUNT})})
DELETED = part({"_all": part({"primaries": PRIMARIES})})
SIZE = part({"size_in_bytes": COUNT})
STATISTICS = part(
    {
        "indices": table(
            TEXT,
            part(
                {
                    "primaries": part(
                        {"store": SIZE, "docs": part({"deleted": COUNT}), "segments": part({"count": COUNT})}
                    ),
                    "total": part({"store": SIZE}),
                }
            ),
        )
    }
)
HEALTH = part(
    {
        "status": text(re.compile("green|yellow|red"), "a colour"),
        **dict.fromkeys(("initializing_shards", "relocating_shards", "active_shards", "unassigned_shards"), COUNT),
    },
    needed=("status",),
)
LAGS = list_of(part({"checkpoints_behind": optional(digits)}, needed=()))

# Documents
RECORDS = part({"docs": list_of(part({"found": anything, "_source": part({"record": TEXT})}, needed=()))})
FIELD = part(
    {
        "field_statistics": part({"sum_ttf": integer(-1), "doc_count": integer(-1)}),
        "terms": table(TEXT, part({"doc_freq": COUNT, "ttf": COUNT}, needed=())),
    },
    needed=("field_statistics",),
)
VECTORS = part(
    {"docs": list_of(part({"term_vectors": table(TEXT, FIELD), "error": part({"reason": TEXT}, needed=())}, needed=()))}
)
RESULT = part({"status": COUNT, "error": OBJECT}, needed=("status",))
