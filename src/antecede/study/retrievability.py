"""Retrievability: how evenly a system gives access to the documents of a collection (Azzopardi & Vinay, CIKM 2008).

r(d) = Σ_q f(rank of d for q, c): how many of many queries retrieve the document within the cut-off c, or, with a
gravity β, the sum of 1 / rank^β. Its inequality over the documents is measured by the Gini coefficient and shown by the
Lorenz curve. A document with r(d) = 0 is not found by any of the queries, however relevant it is: in prior-art search
that is the worst case.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import UsageError, advise, describe_given, printable
from antecede.measures.definition import mean
from antecede.plots import PlotMixin
from antecede.results import to_json
from antecede.tables import Table, Tabled, Value, best_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.comparison.inputs import Flags, Floats, Ints

UNKNOWN = "unknown"
OTHER = "other"
MOST_GROUPS = 12
"""Groups of an attribute; smaller ones are put together, years into decades."""
LENGTH_GROUPS = 5
MOST_NAMED = 10
"""Documents that are named in the table of those never found."""
CURVE_POINTS = 200
"""Points of a Lorenz curve in JSON."""


def gini(values: Floats) -> Floats:
    """The Gini coefficient along the last axis: Σ (2i − n − 1)·v₍ᵢ₎ / (n·Σ v), v in ascending order.

    0 if all values are equal, (n − 1)/n if one document has everything; NaN if all values are 0. Equal to half the mean
    absolute difference of two documents, relative to the mean.
    """
    ordered = np.sort(values, axis=-1)
    number = values.shape[-1]
    place = 2 * np.arange(1, number + 1) - number - 1
    total = ordered.sum(axis=-1)
    spread = (ordered * place).sum(axis=-1)
    return np.asarray(np.divide(spread, number * total, out=np.full(total.shape, np.nan), where=total > 0))


def lorenz(values: Floats) -> tuple[Floats, Floats]:
    """The Lorenz curve: the share of the documents, poorest first, and their share of all retrievals; from 0 to 1."""
    total = values.sum()
    shares = np.concatenate(([0.0], np.cumsum(np.sort(values)))) / (total if total > 0 else 1.0)
    return np.linspace(0.0, 1.0, len(values) + 1), shares


@dataclass(frozen=True, eq=False)
class Group:
    """Documents with the same value of an attribute."""

    attribute: str
    name: str
    members: Flags
    """bool[D]"""


@dataclass(frozen=True, eq=False, repr=False)
class Retrievability(Tabled, PlotMixin):
    """Retrievability: r(d) of D documents under S systems within C cut-offs."""

    systems: tuple[tuple[str, str], ...]
    """Query method and ranking model."""
    cutoffs: tuple[int, ...]
    weights: Floats
    """float64[S, C, D]: r(d)."""
    doc_ids: tuple[str, ...]
    groups: tuple[Group, ...]
    queries: Ints
    """int64[S]: how many queries were searched."""
    topics: int
    gravity: float = 0.0
    failed: Mapping[str, int] = field(default_factory=dict)
    judged: tuple[tuple[str, str], ...] = ()
    """Pairs of topic and relevant document, if judgements were given."""
    ranks: Ints | None = None
    """int64[S, J]: the rank of each of them; 0 beyond the largest cut-off."""

    @cached_property
    def gini(self) -> Floats:
        """float64[S, C]."""
        return gini(self.weights)

    @cached_property
    def found(self) -> Floats:
        """float64[S, C]: the share of the documents that at least one query retrieves."""
        return np.asarray((self.weights > 0).mean(axis=2))

    @cached_property
    def never(self) -> Flags:
        """bool[D]: documents that no query of any system retrieves within the largest cut-off."""
        return np.asarray(~(self.weights[:, -1] > 0).any(axis=0))

    def name(self, system: int) -> str:
        """The name of a system: `tfidf, bm25`."""
        return ", ".join(self.systems[system])

    def findability(self) -> Floats:
        """float64[S, C]: the mean of 1 / rank within the cut-off, 0 beyond it, first over the topics to which a
        document is relevant, then over these documents (Sinha et al., ECIR 2023).
        """
        documents, place = np.unique([doc_id for _, doc_id in self.judged], return_inverse=True)
        times = np.bincount(place, minlength=len(documents))
        worth = np.where(self._within(), 1.0 / np.maximum(self._judged_ranks(), 1), 0.0)

        def mean_over_documents(values: Floats) -> float:
            return float(mean(np.bincount(place, weights=values, minlength=len(documents)) / times))

        return np.array([[mean_over_documents(values) for values in system] for system in worth])

    def found_relevant(self) -> Floats:
        """float64[S, C]: the share of the relevant documents (pairs with their topic) within the cut-off."""
        return np.asarray(self._within().mean(axis=2))

    def _judged_ranks(self) -> Ints:
        """int64[S, 1, J]."""
        if self.ranks is None:
            raise UsageError(f"findability needs judgements; give them with {advise('judgements=', '--qrels')}")
        return self.ranks[:, None, :]

    def _within(self) -> Flags:
        """bool[S, C, J]: which relevant documents are found within each cut-off."""
        ranks = self._judged_ranks()
        return np.asarray((ranks > 0) & (ranks <= np.array(self.cutoffs)[:, None]))

    def table(self) -> Table:
        """One row per method and model: Gini coefficient and share of documents found at each cut-off."""
        last = self.cutoffs[-1]
        columns = {f"Gini@{c}": (self.gini[:, at].tolist(), "lower") for at, c in enumerate(self.cutoffs)}
        columns |= {f"found@{c} %": ((100 * self.found[:, at]).tolist(), "higher") for at, c in enumerate(self.cutoffs)}
        columns[f"never@{last}"] = ((~(self.weights[:, -1] > 0)).sum(axis=1).tolist(), "lower")
        if self.ranks is not None:
            columns[f"findability@{last}"] = (self.findability()[:, -1].tolist(), "higher")
            columns[f"relevant found@{last}"] = (self.found_relevant()[:, -1].tolist(), "higher")
        values = [of for of, _ in columns.values()]
        return Table(
            ("method", "model", *columns),
            tuple((*system, *row) for system, row in zip(self.systems, zip(*values, strict=True), strict=True)),
            title="Retrievability: how evenly documents can be found",
            notes=self.notes(),
            best=best_of(values, [better for _, better in columns.values()], first=2),
            digits=3,
        )

    def notes(self) -> tuple[str, ...]:
        """What was searched, and what could not be."""
        low, high = int(self.queries.min()), int(self.queries.max())
        queries = f"{high:,}" if low == high else f"{low:,} to {high:,}"
        counted = f"r(d): sum of 1 / rank^{self.gravity:g}" if self.gravity else "r(d): number of queries that find d"
        lost = [f"{count:,} queries failed: {printable(why)}." for why, count in self.failed.items()]
        every = f"{self.never.sum():,} of {len(self.doc_ids):,} documents are not found by any query of any system"
        return (
            f"{len(self.doc_ids):,} documents, {self.topics:,} topics, {queries} queries per system; {counted}.",
            f"{every} within the first {self.cutoffs[-1]}. Gini: 0 if all are found equally often.",
            *lost,
        )

    def groups_table(self) -> Table:
        """One row per class, year, language and length: how easily its documents are found, over all systems."""
        average = mean(self.weights[:, -1])[:, None]
        relative = self.weights[:, -1] / np.where(average > 0, average, 1.0)
        rows: list[tuple[Value, ...]] = []
        for group in self.groups:
            own, missed = mean(relative[:, group.members]), 100 * float(self.never[group.members].mean())
            spread = (float(mean(own)), float(own.min()), float(own.max()))
            rows.append((group.attribute, group.name, int(group.members.sum()), *spread, missed))
        relative_note = (
            f"Relative r: the mean of the group / the mean of all documents, averaged over {len(self.systems)} "
            "systems; lowest and highest of a system."
        )
        return Table(
            ("by", "group", "documents", "relative r", "lowest", "highest", "never %"),
            tuple(rows),
            title=f"Which documents are found: r(d) within the first {self.cutoffs[-1]}, relative to the mean",
            notes=(f"{relative_note} Never: not found by any system.",),
            digits=2,
        )

    def never_table(self) -> Table:
        """The documents that no query of any system finds."""
        named: dict[int, dict[str, str]] = {int(at): {} for at in np.flatnonzero(self.never)}
        attributes = list(dict.fromkeys(group.attribute for group in self.groups))
        for group in self.groups:
            for at in np.flatnonzero(group.members & self.never).tolist():
                named[at][group.attribute] = group.name
        rows = tuple((self.doc_ids[at], *(facts.get(name) for name in attributes)) for at, facts in named.items())
        whole = Table(("document", *attributes), rows, title="Documents that are never found")
        left = len(rows) - MOST_NAMED
        if left <= 0:
            return whole
        return replace(
            whole,
            rows=rows[:MOST_NAMED],
            notes=(f"{left:,} more; {advise('complete', '--format csv')} has them all.",),
            complete=whole,
        )

    def tables(self) -> tuple[Table, ...]:
        """Systems, groups, and the documents that are never found if there are any."""
        return (self.table(), self.groups_table(), *([self.never_table()] if self.never.any() else []))

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        by_cutoff = {"gini": self.gini, "found": self.found, "mean": mean(self.weights)}
        if self.ranks is not None:
            by_cutoff |= {"findability": self.findability(), "relevant_found": self.found_relevant()}
        systems = []
        for at, (method, model) in enumerate(self.systems):
            share, curve = lorenz(self.weights[at, -1])
            points = np.unique(np.linspace(0, len(share) - 1, min(CURVE_POINTS, len(share))).astype(np.int64))
            systems.append(
                {
                    "method": method,
                    "model": model,
                    "queries": self.queries[at],
                    "cutoffs": {
                        cutoff: {name: values[at, c] for name, values in by_cutoff.items()}
                        for c, cutoff in enumerate(self.cutoffs)
                    },
                    "lorenz": {"documents": share[points], "retrievals": curve[points]},
                    "groups": {
                        f"{group.attribute} {group.name}": float(mean(self.weights[at, -1][group.members]))
                        for group in self.groups
                    },
                }
            )
        document = {
            "documents": len(self.doc_ids),
            "topics": self.topics,
            "cutoffs": self.cutoffs,
            "gravity": self.gravity,
            "failed": self.failed,
            "systems": systems,
            "groups": [
                {
                    "attribute": group.attribute,
                    "name": group.name,
                    "documents": group.members.sum(),
                    "never": (self.never & group.members).sum(),
                }
                for group in self.groups
            ],
            "never": [self.doc_ids[at] for at in np.flatnonzero(self.never).tolist()],
        }
        return dict(to_json(document))


def retrievability(counts: Any) -> Retrievability:
    """How evenly the documents of a collection can be found, by method and model.

    Args:
        counts: How often each document was retrieved, from `count_retrievals`.
    """
    own = {known.name for known in fields(Retrievability)} - {"groups"}
    if not all(hasattr(counts, name) for name in (*own, "attributes", "lengths")):
        raise UsageError(
            f"counts must be counts of retrievals (from count_retrievals), not {describe_given(counts)}; search the "
            "index with count_retrievals first"
        )
    if not len(counts.doc_ids):
        raise UsageError("the collection has no documents; build an index of at least one")
    if not counts.queries.any():
        why = next(iter(counts.failed), "there is no topic")
        raise UsageError(f"no query could be searched: {printable(why)}")
    groups = [group for name, values in counts.attributes.items() for group in group_values(name, values)]
    counted = {name: getattr(counts, name) for name in own}
    return Retrievability(**counted, groups=(*groups, *group_lengths(counts.lengths)))


def group_values(attribute: str, values: Sequence[str | None]) -> list[Group]:
    """The documents by value: the largest groups, the others together, years by decade where there are many."""
    texts = np.array([UNKNOWN if value is None else value for value in values], np.object_)
    names, counts = np.unique(texts.astype(str), return_counts=True)
    if attribute == "year" and len(names) > MOST_GROUPS:
        texts = np.array([year if year == UNKNOWN else f"{year[:3]}0–{year[2:3]}9" for year in texts], np.object_)
        names, counts = np.unique(texts.astype(str), return_counts=True)
    order = names.tolist() if attribute == "year" else names[np.argsort(-counts, kind="stable")].tolist()
    kept = order if len(order) <= MOST_GROUPS else order[: MOST_GROUPS - 1]
    groups = [Group(attribute, name, np.asarray(texts == name)) for name in kept]
    rest = ~np.isin(texts.astype(str), kept)
    return [*groups, *([Group(attribute, OTHER, rest)] if rest.any() else [])]


def group_lengths(lengths: Ints) -> list[Group]:
    """The documents in five groups of about the same size, by length."""
    edges = np.unique(np.quantile(lengths, np.linspace(0, 1, LENGTH_GROUPS + 1), method="inverted_cdf"))
    if len(edges) == 1:
        return [Group("length", f"{int(edges[0]):,}", np.ones(len(lengths), np.bool_))]
    groups = []
    for at, (low, high) in enumerate(pairwise(edges.tolist())):
        first = int(low) + (1 if at else 0)
        members = (lengths >= first) & (lengths <= high)
        if members.any():
            groups.append(Group("length", f"{first:,}–{int(high):,}", members))
    return groups
