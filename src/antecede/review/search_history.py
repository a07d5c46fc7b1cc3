"""The searches of a case, and the history of its query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

from antecede.conditions.fields import SETTINGS as FACTS
from antecede.review.database import UnknownCaseError, fields_of, from_json, to_json
from antecede.review.marks import current_time
from antecede.review.versions import VersionedDatabase, note_change

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

DEPTH = 10_000
"""Documents of a search that can be read, at most, unless specified otherwise."""
RANKINGS = 64
"""Rankings that are kept in memory."""
MOST_DRAFTS = 200
"""Steps of the history of a query that are kept."""
EMPTY_STATE: dict[str, Any] = {"settings": {}, "filters": {}, "terms": [], "phrases": []}
SETTINGS = (
    "method", "terms", "fields", "from_claim", "weights", "language", "ranking", "model", "ipc_boost", "cited",
    "fusion",
)  # fmt: skip
FILTERS = (
    "before", "after", "undated", *FACTS, "where", "sets",
)  # fmt: skip
"""The search settings and filters of the query of a case."""


@dataclass(frozen=True)
class Draft:
    """The query of a case as it is now, and how many steps can be undone and redone."""

    state: dict[str, Any]
    undo: int
    redo: int
    version: int


@dataclass(frozen=True)
class SearchRow:
    """A search of a case."""

    number: int
    kind: str
    label: str
    time: str
    user: str
    key: str
    """What the result depends on: topic, query, marks and index; the same key means the same result."""
    state: dict[str, Any]
    settings: dict[str, Any]
    index_state: str
    facts: dict[str, Any]
    """Notes, counts, query terms: what is shown with the results."""
    ranking: Sequence[Sequence[Any]]
    """Documents and scores, best first; None of a document that the ranking does not score."""
    name: str = ""
    """What the user calls it; empty where nobody has named it."""
    version: int = 0
    """The number of the change that it was made or named by."""

    @property
    def title(self) -> str:
        """Its name, else what it was made with."""
        return self.name or self.label


class StoredRanking(Sequence[Sequence[Any]]):
    """The ranking of a search, which is read when it is first looked at: most of the time its length suffices."""

    def __init__(self, size: int, read: Callable[[], list[list[Any]]]) -> None:
        self._size, self._read = size, read

    @cached_property
    def _rows(self) -> list[list[Any]]:
        return self._read()

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: Any) -> Any:
        return self._rows[place]

    def __iter__(self) -> Iterator[list[Any]]:
        return iter(self._rows)


class SearchHistory(VersionedDatabase):
    """A store with the searches of its cases and the histories of their queries."""

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self._rankings = lru_cache(maxsize=RANKINGS)(self._read_ranking)
        """The rankings of searches, which never change; their keys tell those of cases that were deleted apart."""
        super().__init__(path, create=create)

    # The history of the query

    def draft(self, case_id: str) -> Draft:
        """The current state of the query."""
        rows = self.rows(
            """SELECT state, drafts.position AS position, cases.position AS here
               FROM drafts JOIN cases ON id = case_id WHERE case_id = ? ORDER BY drafts.position""",
            case_id,
        )
        places = [row["position"] for row in rows]
        at = places.index(rows[0]["here"]) if rows else 0
        state = from_json(rows[at]["state"]) if rows else EMPTY_STATE
        return Draft(state, at, max(len(rows) - at - 1, 0), self.last_change(case_id, "query").version)

    def put_draft(self, case_id: str, state: Mapping[str, Any], user: str = "", seen: int | None = None) -> None:
        """Make a state the current one; what was undone is dropped. The same state again changes nothing."""
        with self.change(case_id) as connection:
            here, now = connection.execute(
                """SELECT cases.position, state FROM cases
                   LEFT JOIN drafts ON case_id = id AND drafts.position = cases.position WHERE id = ?""",
                (case_id,),
            ).fetchone()
            if now == to_json(state):
                return
            self._require_draft(case_id, seen)
            left = "DELETE FROM drafts WHERE case_id = ? AND (position > ? OR position <= ?)"
            connection.execute(left, (case_id, here, here + 1 - MOST_DRAFTS))
            connection.execute("INSERT INTO drafts VALUES (?, ?, ?)", (case_id, here + 1, to_json(state)))
            connection.execute("UPDATE cases SET position = ? WHERE id = ?", (here + 1, case_id))
            note_change(connection, case_id, "query", "", user)

    def step_draft(self, case_id: str, step: int, user: str = "", seen: int | None = None) -> bool:
        """Undo (−1) or redo (1) a step; False where there is none."""
        with self.change(case_id) as connection:
            self._require_draft(case_id, seen)
            moved = connection.execute(
                """UPDATE cases SET position = position + ?2 WHERE id = ?1 AND EXISTS
                   (SELECT 1 FROM drafts WHERE case_id = ?1 AND drafts.position = cases.position + ?2)""",
                (case_id, step),
            )
            if moved.rowcount:
                note_change(connection, case_id, "query", "", user)
            return moved.rowcount > 0

    def _require_draft(self, case_id: str, seen: int | None) -> None:
        self.require_seen(case_id, "query", "", seen, "the query", self.draft(case_id), ("state",))

    # Searches

    def searches(self, case_id: str) -> list[SearchRow]:
        return self._searches("case_id = ? ORDER BY number", case_id)

    def search(self, case_id: str, number: int) -> SearchRow:
        if not (rows := self._searches("case_id = ? AND number = ?", case_id, number)):
            raise UnknownCaseError(f"the case has no search {number}")
        return rows[0]

    def search_by_key(self, case_id: str, key: str) -> SearchRow | None:
        """The search with the same topic, query, marks and index, if there is one."""
        return next(iter(self._searches("case_id = ? AND key = ? ORDER BY number DESC LIMIT 1", case_id, key)), None)

    def _searches(self, condition: str, *values: Any) -> list[SearchRow]:
        version = "(SELECT number FROM versions WHERE case_id = s.case_id AND kind = 'search' AND key = s.number)"
        size = "json_array_length(ranking) AS ranking"
        rows = self.rows(
            f"SELECT {SEARCH_COLUMNS}, {size}, coalesce({version}, 0) AS version FROM searches AS s WHERE {condition}",  # noqa: S608
            *values,
        )
        return [
            SearchRow(
                **{
                    **fields_of(row),
                    "ranking": StoredRanking(
                        row["ranking"], partial(self._rankings, row["case_id"], row["number"], row["key"])
                    ),
                }
            )
            for row in rows
        ]

    def _read_ranking(self, case_id: str, number: int, _: str) -> list[list[Any]]:
        rows = self.rows("SELECT ranking FROM searches WHERE case_id = ? AND number = ?", case_id, number)
        ranking: list[list[Any]] = from_json(rows[0][0]) if rows else []
        return ranking

    def add_search(self, case_id: str, values: Mapping[str, Any]) -> SearchRow:
        """Add a search; returns it with its number. One with the same key, added meanwhile, is returned instead."""
        with self.change(case_id) as connection:
            same = self.search_by_key(case_id, values["key"])
            if same is not None:
                return same
            number = connection.execute(
                "SELECT coalesce(max(number), 0) + 1 FROM searches WHERE case_id = ?", (case_id,)
            ).fetchone()[0]
            row = SearchRow(number=number, time=current_time(), **values)
            insert_search(connection, case_id, row)
            return replace(row, version=note_change(connection, case_id, "search", str(number), row.user))

    def name_search(self, case_id: str, number: int, name: str, user: str = "", seen: int | None = None) -> SearchRow:
        """Name a search, or take its name away with an empty one."""
        with self.change(case_id) as connection:
            search = self.search(case_id, number)
            self.require_seen(case_id, "search", str(number), seen, f"the name of search {number}", search, ("name",))
            values = (name, case_id, number)
            connection.execute("UPDATE searches SET name = ? WHERE case_id = ? AND number = ?", values)
            note_change(connection, case_id, "search", str(number), user)
        return self.search(case_id, number)


SEARCH_COLUMNS = "case_id, number, kind, label, time, user, key, state, settings, index_state, facts, name"


def insert_search(connection: sqlite3.Connection, case_id: str, row: SearchRow) -> None:
    given = (getattr(row, each.name) for each in fields(SearchRow) if each.name != "version")
    values = [value if isinstance(value, str | int) else to_json(value) for value in given]
    connection.execute(f"INSERT INTO searches VALUES (?{', ?' * len(values)})", (case_id, *values))  # noqa: S608
