"""Talking to a cluster: each request is repeated where that can help, and each failure is one clear line."""

from __future__ import annotations

import logging
import random
import re
import time
import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from antecede.address import authority, credentials
from antecede.errors import (
    AntecedeError,
    InputError,
    UnusableIndexError,
    UsageError,
    is_worded_for_shell,
    printable,
    spell,
)
from antecede.opensearch.answers import DELETED, MAX_NUMBERS, SEARCH, VALUE, table_of
from antecede.validation import FieldError, check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from antecede.address import Address

PATIENCE = 90.0
"""Seconds for which a request is repeated while the cluster is overloaded, or has lost a node."""
FIRST_PATIENCE = 3.0
"""Seconds for which the first connection is tried."""
TIMEOUT = 120
"""Seconds after which one request is given up."""
NODE_LOST = ("disconnected", "not connected", "node closed")
"""What a cluster says of a node that was lost while it answered."""
CONNECTIONS = 16
PAGE_SIZE = 5000
"""Documents per page of a complete list."""
BATCH_NUMBERS = 2000
"""Documents per request by number."""
CLAUSES = "indices.query.bool.max_clause_count"


class Cluster:
    """A cluster, and the name of an index on it; may be used from several threads."""

    def __init__(self, address: Address, patience: float | None = None) -> None:
        self.address = address
        self.patience = PATIENCE if patience is None else patience
        self.answered = False
        """Whether the cluster has answered a request."""

    @cached_property
    def client(self) -> Any:
        try:
            from opensearchpy import OpenSearch, OpenSearchWarning

            from antecede.opensearch.bounded_connection import BoundedConnection
        except ImportError:
            raise UsageError("opensearch-py is not installed; pip install 'antecede[opensearch]'") from None
        for name in ("opensearch", "urllib3"):  # what fails is reported by us, once
            logging.getLogger(name).setLevel(logging.CRITICAL)
        warnings.simplefilter("ignore", OpenSearchWarning)  # text of the cluster, printed as it is
        secure = self.address.secure
        return OpenSearch(
            [{"host": host, "port": port} for host, port in self.address.hosts],
            http_auth=credentials(),
            use_ssl=secure,
            verify_certs=secure,
            ssl_show_warn=False,
            ca_certs=authority() if secure else None,
            timeout=TIMEOUT,
            max_retries=len(self.address.hosts),
            retry_on_timeout=False,
            retry_on_status=(),  # `call` repeats; the client would go on to a lost node, and report that instead
            pool_maxsize=CONNECTIONS,
            http_compress=False,
            connection_class=BoundedConnection,
        )

    def call(self, request: Callable[[Any], Any], kind: Any = Any, patience: float | None = None) -> Any:
        """The answer to a request of the client; repeated while the cluster is overloaded or recovers.

        Args:
            request: Sends the request with the client.
            kind: The type of the answer, from `answers`; another one is refused.
            patience: Seconds for which it is repeated at most.
        """
        answer = self.ask(request, self.patience if patience is None else min(patience, self.patience))
        self.check(kind, answer)
        return answer

    def check(self, kind: Any, answer: Any) -> None:
        """Refuse an answer, or a part of one, that is not of a type."""
        try:
            check(kind, answer)
        except FieldError as error:
            raise self.misunderstood(error) from None

    def error(self, what: str, remedy: str | None = None) -> InputError:
        """An error that names the index on the cluster."""
        return UnusableIndexError(what, source=str(self.address), remedy=remedy and _spell_options(remedy))

    def misunderstood(self, why: object) -> InputError:
        """The error of an answer that is not what OpenSearch answers."""
        return self.error(
            f"the cluster gives an answer that is not one of OpenSearch ({printable(str(why), 200)})",
            "check host and port",
        )

    def ask(self, request: Callable[[Any], Any], longest: float) -> Any:
        """Send a request, and repeat it for so many seconds."""
        client = self.client
        begun, pause = time.monotonic(), 0.1
        while True:
            try:
                answer = request(client)
            except (AntecedeError, MemoryError):
                raise
            except Exception as error:  # the client trusts answers, and fails in any way on those that are none
                if not _is_passing(error) or time.monotonic() + pause > begun + self.patience_for(error, longest):
                    raise self.explain(error) from error
            else:
                self.answered = True
                return answer
            time.sleep(pause * (0.5 + random.random()))  # noqa: S311 - so that clients do not come back together
            pause = min(2 * pause, 5.0)

    def patience_for(self, error: Exception, longest: float) -> float:
        """Seconds for which a request that failed so is repeated."""
        # A cluster that never answered is more likely to have another address than to have lost its nodes.
        first = not self.answered and getattr(error, "status_code", None) in ("N/A", "TIMEOUT")
        return min(longest, FIRST_PATIENCE) if first else longest

    def explain(self, error: Any) -> AntecedeError:
        """A failure in one line: what is wrong, and what to do."""
        from opensearchpy.exceptions import OpenSearchException, SerializationError, TransportError

        if isinstance(error, SerializationError):
            return self.misunderstood("it is not JSON")
        if isinstance(error, RecursionError):
            return self.misunderstood("it is nested too deeply")
        if not isinstance(error, OpenSearchException):
            return self.misunderstood(type(error).__name__)
        if not isinstance(error, TransportError):
            return self.error(f"failed ({printable(str(error), 200)})")
        status, text = getattr(error, "status_code", None), _describe(error)
        for failure in FAILURES:
            if failure.matches(status, text):
                return self.error(failure.what, failure.remedy)
        return self.error(f"the cluster refused a request ({status}: {printable(text, 300)})")

    def search(self, index: str, body: dict[str, Any], aggregations: Any = None, **parameters: Any) -> dict[str, Any]:
        """The answer to a search, of all shards or none; `aggregations` is their type."""
        answer: dict[str, Any] = self.call(
            lambda client: client.search(
                index=index, body=body, params={"allow_partial_search_results": "false", **parameters}
            ),
            SEARCH,
        )
        if aggregations is not None:
            self.check(aggregations, answer.get("aggregations"))
        shards = answer["_shards"]
        if answer.get("timed_out") or shards["failed"] or shards["successful"] < shards["total"]:
            raise self.error(
                f"only {shards['successful']} of {shards['total']} shards answered",
                "wait until the cluster is green; a partial list is never shown",
            )
        try:
            _check_hits(answer["hits"]["hits"], body)
        except (KeyError, IndexError, TypeError) as error:
            raise self.misunderstood(f"hits: {error}") from None
        return answer

    def count(self, index: str, clause: dict[str, Any] | None = None) -> int:
        """The number of documents that meet a condition."""
        body = {"size": 0, "track_total_hits": True, "query": clause or {"match_all": {}}}
        total = self.search(index, body)["hits"].get("total")
        if total is None:
            raise self.misunderstood("hits.total: is missing")
        return int(total["value"])

    def count_deleted(self, index: str) -> int:
        """The number of removed documents that are still counted in statistics."""
        answer = self.call(lambda client: client.indices.stats(index=index, metric="docs"), DELETED)
        return int(answer["_all"]["primaries"]["docs"]["deleted"])

    def sum_up(self, index: str, *fields: str) -> dict[str, int]:
        """The sum of each of some fields over all documents."""
        if not fields:
            return {}
        body = {"size": 0, "aggs": {field: {"sum": {"field": field}} for field in fields}}
        sums = self.search(index, body, table_of(VALUE))["aggregations"]
        if missing := {*fields} - sums.keys():
            raise self.misunderstood(f"aggregations: {min(missing)} is missing")
        return {field: round(sums[field]["value"] or 0) for field in fields}

    def by_number(self, index: str, numbers: Iterable[int], fields: list[str]) -> Iterator[dict[str, Any]]:
        """Fields of the documents with these numbers, in any order; those that do not exist are left out."""
        distinct = list(dict.fromkeys(numbers))
        for first in range(0, len(distinct), BATCH_NUMBERS):
            part = distinct[first : first + BATCH_NUMBERS]
            body = {"size": len(part), "query": {"bool": {"filter": {"terms": {"n": part}}}}, "sort": "_doc"}
            yield from fields_of(self.search(index, {**body, **values_of(fields)}))

    def pages(self, index: str, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """All hits of a sorted search, `body["size"]` with each request."""
        after: dict[str, Any] = {}
        while True:
            hits = self.search(index, {**body, **after, "track_total_hits": False})["hits"]["hits"]
            yield from hits
            if len(hits) < body["size"]:
                return
            after = {"search_after": hits[-1]["sort"]}

    def scan(self, index: str, clause: dict[str, Any], fields: list[str]) -> Iterator[dict[str, Any]]:
        """Fields of all documents that meet a condition, by ascending number."""
        body = {"size": PAGE_SIZE, "query": {"bool": {"filter": clause}}, "sort": [{"n": "asc"}], **values_of(fields)}
        last = -1
        for hit in self.pages(index, body):
            number = hit["fields"]["n"][0]
            if number <= last:  # else a page could follow a page forever
                raise self.misunderstood(f"document {number} follows {last}")
            last = number
            yield hit["fields"]


def values_of(fields: list[str]) -> dict[str, Any]:
    """The part of a request that has only doc values returned."""
    return {"stored_fields": "_none_", "docvalue_fields": fields}


def _check_hits(hits: list[dict[str, Any]], body: dict[str, Any]) -> None:
    """Refuse hits without what was asked for: numbers of documents, and where they are sorted the keys for that.

    Raises a `KeyError`, an `IndexError` or a `TypeError`. Nothing is called per hit: there may be a million.
    """
    if len(hits) > body.get("size", len(hits)):
        raise IndexError("there are more than were asked for")
    if "docvalue_fields" in body:
        numbers = [hit["fields"]["n"][0] for hit in hits]
        if not all(type(number) is int and 0 <= number < MAX_NUMBERS for number in numbers):
            raise TypeError("a document has no number")
    if body.get("sort", "_doc") != "_doc" and not all(isinstance(hit["sort"], list) and hit["sort"] for hit in hits):
        raise TypeError("a hit is not sorted by anything")


def fields_of(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (each["fields"] for each in answer["hits"]["hits"])


def _is_passing(error: Any) -> bool:
    """Whether a failure may pass: an overloaded cluster, a lost node, a missing manager."""
    status = getattr(error, "status_code", None)
    if status is None:  # no failure of a request, but of the client
        return False
    text = _describe(error)
    if any(lasting.matches(status, text) for lasting in (DISK_FULL, TOO_MANY_TERMS, BAD_CERTIFICATE)):
        return False
    if status == 500:  # a node was lost in the middle of a request: copies of its shards answer the next one
        return any(map(text.count, NODE_LOST))
    # A connection that is refused at the first request is an address that is wrong; retries would only delay saying so.
    return status in (429, 502, 503, 504, "TIMEOUT") or (status == "N/A" and "Connection refused" not in text)


def _describe(error: Any) -> str:
    """What a failure says of itself: type and reason of its causes."""
    info = getattr(error, "info", None)
    return describe_cause(info.get("error", info)) if isinstance(info, dict) else " ".join(str(error).split())


def describe_cause(error: Any) -> str:
    """Type and reason of an error and of its causes, from how the cluster describes it."""
    if not isinstance(error, dict):
        return error if isinstance(error, str) else "no reason is given"
    lists = [error.get(name) for name in ("root_cause", "failed_shards")]
    roots, shards = (items if isinstance(items, list) else [] for items in lists)
    causes = [
        error,
        *roots,
        *(shard.get("reason") for shard in shards if isinstance(shard, dict)),
        error.get("caused_by"),
    ]
    pairs = ([cause.get("type"), cause.get("reason")] for cause in causes if isinstance(cause, dict))
    said = (": ".join(text if isinstance(text, str) else "" for text in pair) for pair in pairs)
    return "; ".join(dict.fromkeys(" ".join(each.split()) for each in said))


def _spell_options(remedy: str) -> str:
    """A remedy with the options in it as the caller gives them."""
    if is_worded_for_shell():
        return remedy
    remedy = remedy.replace("antecede index --out", "build_index")
    return re.sub(r"--(\w+)", lambda option: spell(option[1], True if option[1] == "resume" else None), remedy)


class Failure(NamedTuple):
    """How a failure is recognised, what is wrong, and what to do."""

    what: str
    remedy: str
    texts: tuple[str, ...] = ()
    """Of which one is in what the failure says of itself."""
    statuses: tuple[int | str, ...] = ()

    def matches(self, status: Any, text: str) -> bool:
        """Whether a failure of this status and text is one of these."""
        return (not self.statuses or status in self.statuses) and (not self.texts or any(map(text.count, self.texts)))


DISK_FULL = Failure(
    "a disk of the cluster is too full to write (flood-stage watermark)",
    "free or add space, then repeat with --resume; what was written is kept",
    ("flood-stage", "read-only", "create-index blocked"),
)
TOO_MANY_TERMS = Failure(
    f"the query has more terms than the cluster allows ({CLAUSES})",
    f"raise the cluster setting {CLAUSES}, or search with fewer --terms",
    ("too_many_clauses", "maxClauseCount", "too many nested clauses"),
)
BAD_CERTIFICATE = Failure(
    "the certificate of the cluster is not accepted",
    "name that of its authority in ANTECEDE_OPENSEARCH_CA, or write opensearch:// where it does not use TLS",
    ("CERTIFICATE", "SSL"),
)
FAILURES = (
    DISK_FULL,
    TOO_MANY_TERMS,
    Failure(
        "the cluster does not allow the scripts that ranking models other than bm25 need",
        "allow them (script.allowed_types, script.allowed_contexts), or rank by the default or by bm25",
        ("cannot execute [inline] scripts", "cannot execute scripts using", "script_lang not supported"),
    ),
    Failure(
        "the user or the password is wrong",
        "check ANTECEDE_OPENSEARCH_USER and ANTECEDE_OPENSEARCH_PASSWORD, or the file ANTECEDE_OPENSEARCH_CREDENTIALS",
        statuses=(401,),
    ),
    Failure("the user may not do this", "docs/cluster.md lists the permissions that are needed", statuses=(403,)),
    Failure(
        "there is no such index on the cluster",
        "check the name after the last slash, or make it with antecede index --out",
        ("index_not_found",),
        (404,),
    ),
    Failure(
        "shards of the index are missing, so that no complete answer is possible",
        "start the nodes that hold them; a partial list is never shown",
        ("no_shard_available", "all shards failed", "SearchPhaseExecution", "search_phase_execution"),
    ),
    Failure(
        "the cluster has no manager",
        "start enough of its nodes for a majority",
        ("cluster_manager_not_discovered", "master_not_discovered", "no_cluster_manager", "state not recovered"),
    ),
    BAD_CERTIFICATE,
    Failure(
        "the cluster is overloaded (429)",
        "search with fewer --threads, or add nodes; --resume continues",
        statuses=(429,),
    ),
    Failure(
        "the cluster cannot be reached, or does not answer",
        "check host and port, that the cluster runs, and opensearchs:// where it uses TLS",
        statuses=("N/A", "TIMEOUT", 502, 503, 504),
    ),
)
"""The first that fits counts."""
