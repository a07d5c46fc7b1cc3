"""The searches of a case, and the history of its query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast

from antecede.conditions.fields import SETTINGS as FACTS
from antecede.review.database import UnknownCaseError, fields_of, from_json, to_json
from antecede.review.marks import current_time
from antecede.review.versions import VersionedDatabase, note_change

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

DEPTH = 10_000
"""Documents of a search that can be read, at most, unless specified otherwise."""
RANKINGS, SIZES = 64, 10_000
"""Rankings that are kept in memory, and numbers of their documents."""
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


class SearchedTerm(TypedDict):
    """A term of a query that was searched."""

    term: str
    word: str
    weight: float
    language: str


class SearchedDocuments(TypedDict):
    """How many documents a search looked at, and what left out others."""

    searched: int
    unsearched: int
    unsearched_languages: dict[str, int]
    excluded: dict[str, int]
    undated: int
    dated_by_year: int


class SearchFacts(TypedDict):
    """What is stored of a search besides its ranking, and shown with it."""

    topic: str
    """The digest of the application that was searched for."""
    notes: list[str]
    documents: SearchedDocuments
    model: str
    terms: list[SearchedTerm]
    languages: list[str]
    new: list[str]
    """The documents that no search of the case had found before."""
    titles: NotRequired[dict[str, str]]
    relevant_marks: int
    learned_from: NotRequired[int]
    """Marked documents that feedback left out, of those that were searched."""
    index: str
    index_documents: int


@dataclass(frozen=True)
class Draft:
    """The query of a case as it is now, and how many steps can be undone and redone."""

    state: Mapping[str, object]
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
    state: Mapping[str, object]
    """The query that it was made with, as `QueryState` reads it."""
    settings: Mapping[str, object]
    """The settings that the query meant, as `SearchSettings` gives them."""
    index_state: str
    facts: SearchFacts
    ranking: Sequence[tuple[str, float | None]]
    """Documents and scores, best first; None of a document that the ranking does not score."""
    name: str = ""
    """What the user calls it; empty where nobody has named it."""
    version: int = 0
    """The number of the change that it was made or named by."""

    @property
    def title(self) -> str:
        """Its name, else what it was made with."""
        return self.name or self.label

    @property
    def learned(self) -> dict[str, list[str]]:
        """The relevant and the irrelevant documents that feedback learned from."""
        return {name: [*cast("Sequence[str]", self.settings[name])] for name in ("relevant", "irrelevant")}

    @property
    def expression(self) -> tuple[str | None, Sequence[str]]:
        """The expression that its documents meet, if it has one, and the sets that the expression may name."""
        values = (self.settings.get("where"), self.settings.get("sets") or ())
        return cast("tuple[str | None, Sequence[str]]", values)

    @property
    def depth(self) -> int:
        """How many documents it ranks at most."""
        return cast("int | None", self.settings.get("k")) or DEPTH


class StoredRanking(Sequence[tuple[str, float | None]]):
    """The ranking of a search, which is read when it is first looked at: most of the time its length suffices."""

    def __init__(self, size: int, read: Callable[[], list[Any]]) -> None:
        self._size, self._read = size, read

    @cached_property
    def _rows(self) -> list[Any]:
        return self._read()

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: Any) -> Any:
        return self._rows[place]

    def __iter__(self) -> Iterator[tuple[str, float | None]]:
        return iter(self._rows)


class SearchHistory(VersionedDatabase):
    """A store with the searches of its cases and the histories of their queries."""

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        # Rankings never change; their keys tell those of cases that were deleted apart.
        self._ranking = lru_cache(maxsize=RANKINGS)(self._read_ranking)
        self._ranking_size = lru_cache(maxsize=SIZES)(self._read_ranking_size)
        super().__init__(path, create=create)

    # The history of the query

    def draft(self, case_id: str) -> Draft:
        """The current state of the query."""
        ((state, undo, redo),) = self.rows(
            """SELECT max(CASE WHEN drafts.position = cases.position THEN state END),
                   count(*) FILTER (WHERE drafts.position < cases.position),
                   count(*) FILTER (WHERE drafts.position > cases.position)
               FROM drafts JOIN cases ON id = case_id WHERE case_id = ?""",
            case_id,
        )
        version = self.last_change(case_id, "query").version
        return Draft(from_json(state) if state is not None else EMPTY_STATE, undo, redo, version)

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
        question = f"SELECT {SEARCH_COLUMNS}, coalesce({version}, 0) AS version FROM searches AS s WHERE {condition}"  # noqa: S608
        searches = []
        for row in self.rows(question, *values):
            place = (row["case_id"], row["number"], row["key"])
            ranking = StoredRanking(self._ranking_size(*place), partial(self._ranking, *place))
            searches.append(SearchRow(**fields_of(row), ranking=ranking))
        return searches

    def _read_ranking(self, case_id: str, number: int, _: str) -> list[Any]:
        rows = self.rows("SELECT ranking FROM searches WHERE case_id = ? AND number = ?", case_id, number)
        ranking: list[Any] = from_json(rows[0][0]) if rows else []
        return ranking

    def _read_ranking_size(self, case_id: str, number: int, _: str) -> int:
        question = "SELECT json_array_length(ranking) FROM searches WHERE case_id = ? AND number = ?"
        rows = self.rows(question, case_id, number)
        return rows[0][0] if rows else 0

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
