"""Which documents of an index on a cluster pass filters: a condition of the cluster."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.conditions.filters import DROP, NO_TEXT, Coverage
from antecede.opensearch.clauses import all_of, any_of, date_unknown, decided_by_year, none_of, stages
from antecede.opensearch.layout import field_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from antecede.arrays import Ints, Mask
    from antecede.conditions.filters import Filters
    from antecede.engine import Selection
    from antecede.opensearch.clauses import Clause
    from antecede.opensearch.engine import ClusterEngine


class ClauseSelection:
    """The documents that pass filters; the cluster evaluates them with each request."""

    def __init__(self, engine: ClusterEngine, filters: Filters) -> None:
        self.engine, self.filters = engine, filters

    @cached_property
    def stages(self) -> list[tuple[str, Clause]]:
        """Each condition by name."""
        return [*stages(self.engine, self.filters)]

    @property
    def clause(self) -> Clause | None:
        """All conditions together; None where there is none."""
        return all_of(clause for _, clause in self.stages) if self.stages else None

    def with_text(self, language: str) -> Clause:
        """The documents that pass and have text in a language."""
        return all_of([{"exists": {"field": field_of("length", language)}}, *(clause for _, clause in self.stages)])

    def contains(self, numbers: Ints) -> Mask:
        clause = self.clause
        return np.ones(len(numbers), np.bool_) if clause is None else self.engine.stored.meet(numbers, clause)

    def count(self, language: str) -> int:
        return self.engine.cluster.count(self.engine.generation.name, self.with_text(language))

    def names(self, without: Iterable[str], most: int) -> list[str]:
        excluded = {*without}
        names = self.engine.stored.names(self.clause or {"match_all": {}})
        return [*islice((name for name in names if name not in excluded), max(most, 0))]

    def coverage(self, languages: Sequence[str]) -> Coverage:
        name, count = self.engine.generation.name, self.engine.cluster.count
        left, passed, excluded = self.engine.documents, list[Any](), Counter[str]()
        for stage, clause in self.stages:
            passed.append(clause)
            now = count(name, all_of(passed))
            excluded[stage] += left - now
            left = now
        undated, by_year = 0, 0
        if self.filters.dated:
            bounds = self.filters.before, self.filters.after
            by_year = count(name, decided_by_year(*bounds))
            is_kept = self.filters.undated != DROP
            undated = count(name, all_of([*passed, date_unknown(*bounds)])) if is_kept else 0
        there = any_of({"exists": {"field": field_of("length", each)}} for each in languages)
        rest = all_of([*passed, none_of(there)])
        elsewhere = count(name, rest)
        others = Counter[str]()
        if elsewhere:
            every = self.engine.generation.meta["languages"]
            texts = {each: {"exists": {"field": field_of("length", each)}} for each in every}
            others.update({language: count(name, all_of([rest, clause])) for language, clause in texts.items()})
            others[NO_TEXT] = count(name, all_of([rest, none_of(*texts.values())]))
        known = {language: number for language, number in others.most_common() if number}
        return Coverage(tuple(languages), left - elsewhere, elsewhere, known, dict(+excluded), undated, by_year)


def of_engine(selection: Selection) -> ClauseSelection:
    """A selection as this engine made it."""
    if not isinstance(selection, ClauseSelection):
        raise TypeError("the selection is one of another engine")
    return selection
