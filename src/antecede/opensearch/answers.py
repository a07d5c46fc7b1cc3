"""What an answer of a cluster must be, so that the code that uses it may trust it. A cluster is asked, not trusted.

Keys that are not named here are left alone: versions of OpenSearch differ in them.
"""

from __future__ import annotations

from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any, NotRequired

from typing_extensions import TypedDict

from antecede.conditions.fields import DAYS
from antecede.conditions.fields import FACETS as FIELDS_COUNTED
from antecede.index.manifest import IndexSettings
from antecede.validation import Count, limited, matching

if TYPE_CHECKING:
    from antecede.conditions.fields import Field

MAX_NUMBERS = 1 << 32
"""Numbers of documents are kept in 32 bits."""
MAX_SHARDS = 1024
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""The days of the years 1 to 9999, since 1970."""


def part(**fields: Any) -> Any:
    """The type of objects with these keys, and any others."""
    make: Any = TypedDict
    return make("part", fields)


def optional(kind: Any) -> Any:
    return NotRequired[kind]


def list_of(kind: Any) -> Any:
    return GenericAlias(list, kind)


def table_of(kind: Any) -> Any:
    """The type of objects with any keys and values of a type."""
    return GenericAlias(dict, (str, kind))


OBJECT = table_of(Any)
NUMBER = Annotated[int, limited(ge=0, le=MAX_NUMBERS - 1)]
COUNT_OR_UNKNOWN = Annotated[int, limited(ge=-1, le=1 << 53)]
DIGITS = Annotated[str, matching("[0-9]{1,9}")]
"""A whole number that is written as a text, as settings are."""

# Searches
SEARCH = part(
    _shards=part(total=Count, successful=Count, failed=Count),
    hits=part(hits=list_of(OBJECT), total=optional(part(value=Count))),
    aggregations=optional(OBJECT),
)
VALUE = part(value=Annotated[float, limited(allow_inf_nan=False)] | None)
DAY = Annotated[int, limited(ge=FIRST_DAY, le=LAST_DAY)]
COUNTED = part(doc_count=Count)
BUCKETS = list_of(part(key=str, doc_count=Count))


def both(**inner: Any) -> Any:
    """Aggregations of documents, and of those of them that were retrieved."""
    return part(doc_count=Count, retrieved=part(doc_count=Count, **inner), **inner)


CLASSES = both(values=optional(part(buckets=table_of(COUNTED))))
VALUES = both(values=part(buckets=BUCKETS, sum_other_doc_count=Count))
YEARS = both(
    days=optional(part(buckets=BUCKETS)),
    numbers=part(buckets=list_of(part(key=DAY, doc_count=Count))),
    undated=COUNTED,
)


def _facet(field: Field) -> Any:
    if field.match == DAYS:
        return YEARS
    return CLASSES if field.tree else VALUES


FACETS = part(everything=both(), **{name: _facet(field) for name, field in FIELDS_COUNTED.items()})
NAMES_COUNTED = part(names=VALUES)
NAMES = part(names=part(buckets=table_of(part(forms=part(buckets=list_of(part(key=str)))))))
CODES = part(codes=part(buckets=list_of(part(key=part(code=str)))))
RANGE = part(min=VALUE, max=VALUE)
LONGEST = part(longest=VALUE)

# Indices
INDICES = table_of(
    part(
        settings=part(index=part(uuid=str, number_of_shards=DIGITS, number_of_replicas=DIGITS)),
        mappings=part(_meta=optional(OBJECT), properties=optional(OBJECT)),
        aliases=optional(OBJECT),
    )
)
META = part(
    settings=IndexSettings,
    documents=NUMBER,
    next=NUMBER,
    counts=table_of(Count),
    languages=table_of(part(documents=NUMBER, tokens=Count)),
    generation=optional(Count),
)
"""Our facts about an index that was loaded completely."""
SHARDS = part(shards=list_of(list_of(part(shard=Annotated[int, limited(ge=0, le=MAX_SHARDS - 1)]))))
DELETED = part(_all=part(primaries=part(docs=part(deleted=Count))))
SIZE = part(size_in_bytes=Count)
STATISTICS = part(
    indices=table_of(
        part(
            primaries=part(store=SIZE, docs=part(deleted=Count), segments=part(count=Count)),
            total=part(store=SIZE),
        )
    )
)
HEALTH = part(
    status=Annotated[str, matching("green|yellow|red")],
    initializing_shards=optional(Count),
    relocating_shards=optional(Count),
    active_shards=optional(Count),
    unassigned_shards=optional(Count),
)
LAGS = list_of(part(checkpoints_behind=optional(DIGITS | None)))

# Documents
RECORDS = part(docs=list_of(part(found=optional(Any), _source=optional(part(record=str)))))
LENGTHS = table_of(Annotated[int, limited(ge=0, le=(1 << 32) - 1)])
"""Language → number of tokens."""
FIELD = part(
    field_statistics=part(sum_ttf=COUNT_OR_UNKNOWN, doc_count=COUNT_OR_UNKNOWN),
    terms=optional(table_of(part(doc_freq=optional(Count), ttf=optional(Count)))),
)
VECTORS = part(docs=list_of(part(term_vectors=optional(table_of(FIELD)), error=optional(part(reason=optional(str))))))
RESULTS = part(items=list_of(table_of(part(status=Count, error=optional(OBJECT)))))
