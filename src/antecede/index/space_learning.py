"""Learning, extending and rebuilding the spaces of an index. Two kinds are learned from the collection alone, each by a
truncated singular value decomposition.

**Latent semantic analysis** decomposes the collection's own matrix X.
X has a row of unit length per document, with (1 + log n) · log(N/df) for a term that occurs n times; terms that are in
fewer than 3 documents or in half of them and more are left out, and of the others the 60,000 in most documents are
kept. The d leading right singular vectors V of X are found by subspace iteration on XᵀX from a random start, with a
Rayleigh–Ritz step at the end (Halko, Martinsson and Tropp, SIAM Review 2011, algorithm 4.4): each pass reads the
matrix from disk once, and memory does not depend on the number of documents.

    Deerwester, Dumais, Furnas, Landauer, Harshman: Indexing by latent semantic analysis, JASIS 41(6), 1990.

Sums are computed in an order that does not depend on threads or memory: the same index gives the same bytes. SciPy's
`svds` (ARPACK) takes three times as long for 200 dimensions, and would need the whole matrix in memory.

**Word vectors** are learned from the terms that a term occurs with.
Each text is cut at punctuation into contexts of at most 30 different terms. c(a, b) is the number of contexts that have
both a and b, and the positive pointwise mutual information of a term a and a context term b is

    max(0, log( P(b | a) / P'(b) )),   P(b | a) = c(a, b) / Σ_b c(a, b),   P'(b) ∝ (Σ_a c(a, b))^0.75.

The vectors of terms are the left singular vectors of this matrix, unscaled (Levy, Goldberg and Dagan, Improving
distributional similarity with lessons learned from word embeddings, TACL 2015). A document is the mean of the vectors
of its terms, weighted by (1 + log n) · log(N/df), from which the mean of all documents and the first principal
component are removed (after Arora, Liang and Ma, A simple but tough-to-beat baseline for sentence embeddings, ICLR
2017).

Documents are read again from the records of the index: at most 100,000, evenly spaced, which is plenty for counting.

Each function that stores spaces takes a manifest that is yet to be committed, writes what it needs into folders of that
manifest's generation, and returns the manifest with the spaces. Killed before the commit, the folders are nobody's, and
the next writer removes them.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from antecede.arrays import pointers_from_sizes, split_spans
from antecede.errors import AntecedeError, UsageError, advise, require_type, spell
from antecede.index.build import BuildProgress
from antecede.index.commit import new_folder
from antecede.index.files import SEGMENTS, SegmentFiles
from antecede.index.index import StoredIndex
from antecede.index.manifest import (
    DENSE,
    KINDS,
    LEARNED,
    LSA,
    MAX_DIMENSIONS,
    WORDS,
    SegmentVectors,
    SpaceEntry,
    SpaceParameters,
    basis_files,
    basis_folder,
    vectors_folder,
)
from antecede.index.spaces import (
    BATCH_POSTINGS,
    Basis,
    SentenceModel,
    dampen,
    load_model,
    model_of,
    open_basis,
)
from antecede.index.terms import find_terms
from antecede.patent.texts import indexed_text
from antecede.text.bulk import BulkAnalyzer
from antecede.text.vocabulary import Arena

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from antecede.arrays import F32, I32, Floats, Ints
    from antecede.index.build import Writer
    from antecede.index.files import FolderWriter
    from antecede.index.index import Segment
    from antecede.index.manifest import Manifest, SpaceKind
    from antecede.index.matrix import Matrix

    Block = tuple[Ints, Ints, F32]

MIN_DOCUMENTS = 3
"""Documents that a term must be in."""
MAX_TERMS = 60_000
PASSES = 4
"""Times that the matrix is read: a random start, two steps of subspace iteration, and the Rayleigh–Ritz step."""
EXTRA = 12
"""Dimensions computed beyond those wanted, which makes the last of these more exact."""
STRIPE = 32
"""Columns that a thread computes together: 32 floats of 60,000 terms are about what a cache holds."""
SEED = 0
MIN_SINGULAR_VALUE = 1e-6
"""A singular value squared, relative to the largest, below which a dimension is only rounding."""
MAX_WORDS = 30_000
"""Terms of a space of word vectors."""
MAX_DOCUMENTS = 100_000
"""Documents that contexts are counted in."""
MAX_SHIFTED = 20_000
"""Documents that their mean and first principal component are computed from."""
MAX_CONTEXT = 30
"""Different terms of a context; a longer one is cut."""
SMOOTHING = 0.75
MAX_PAIRS = 1 << 23
"""Pairs of terms in memory; where there are more, the rarest are dropped until half as many are left."""
PAIR_BYTES = 80
"""Memory for a pair of terms while the table of pairs is laid out."""
BATCH_BYTES = 1 << 24
"""Bytes of text that are analysed at a time."""
BREAKS = re.compile(rb"[.;!?\n]+|\xe3\x80\x82")


@dataclass(frozen=True, eq=False)
class SpaceTerms:
    """The terms of a space: their bytes in order, their weights, and their numbers in each matrix."""

    names: list[bytes]
    weights: F32
    places: list[Ints]
    """For each matrix: the place of each of its terms in the space, or −1."""


@dataclass(frozen=True)
class Effort:
    """What learning may take, and whom it tells how far it is."""

    threads: int
    memory: int
    report: Callable[[int, int], None]


def choose_terms(matrices: Sequence[Matrix], documents: int, most: int = MAX_TERMS) -> SpaceTerms:
    """The terms that are neither too rare nor in every other document; of these, those in most documents."""
    df: dict[bytes, int] = {}
    names = [[term.encode() for term in matrix.all_terms()] for matrix in matrices]
    for matrix, own_names in zip(matrices, names, strict=True):
        live = matrix.df.astype(np.int64) - matrix.deleted_counts[0]
        for name, count in zip(own_names, live.tolist(), strict=True):
            df[name] = df.get(name, 0) + count
    fit = [(-count, name) for name, count in df.items() if count >= MIN_DOCUMENTS and 2 * count < documents]
    chosen = sorted(name for _, name in sorted(fit)[:most])
    place = {name: at for at, name in enumerate(chosen)}
    weights = np.log(documents / np.array([df[name] for name in chosen], np.float64)).astype(np.float32)
    return SpaceTerms(
        chosen, weights, [np.array([place.get(name, -1) for name in own_names], np.int64) for own_names in names]
    )


def learn_lsa(index: StoredIndex, language: str, dimensions: int, effort: Effort) -> Basis | None:
    """The basis of the LSA of a language; None where there are too few documents to learn it from."""
    matrices = [matrix for _, matrix in index.filed_matrices(language)]
    documents = sum(matrix.rows - len(matrix.deleted) for matrix in matrices)
    terms = choose_terms(matrices, documents)
    width = min(dimensions + EXTRA, documents, len(terms.names))
    if not width:
        return None
    _check_memory(len(terms.names), width, effort.memory)
    vectors = leading_vectors(lambda: _read_blocks(matrices, terms), documents, len(terms.names), width, effort)
    return _basis_of(terms, vectors[:, :dimensions])


def _basis_of(terms: SpaceTerms, vectors: F32) -> Basis | None:
    """A basis that nothing is shifted in; None without a dimension."""
    nothing = np.zeros((2, vectors.shape[1]), np.float32)
    basis = Basis(Arena.join(terms.names), terms.weights, np.ascontiguousarray(vectors), nothing)
    return basis if basis.dimensions else None


def _check_memory(terms: int, width: int, memory: int) -> None:
    """Refuse what does not fit into memory: three tables of all terms, and the process itself."""
    needed = 3 * 4 * terms * width + (300 << 20)
    if needed > memory:
        size = f"{-(-needed // 10**6)}MB"
        raise UsageError(
            f"{width} dimensions of {terms} terms take {size}: give {_spell_memory(needed)}, "
            f"or fewer {spell('dimensions')}"
        )


def leading_vectors(blocks: Callable[[], Iterator[Block]], rows: int, terms: int, width: int, effort: Effort) -> F32:
    """The leading right singular vectors of a matrix, at most `width`, as columns; the strongest first.

    `blocks` reads the matrix anew, some of its `rows` at a time.
    """
    from scipy.linalg import eigh, qr  # only here: SciPy takes a third of a second to load
    from scipy.sparse import csr_array
    from threadpoolctl import threadpool_limits

    stripes = [slice(first, first + STRIPE) for first in range(0, width, STRIPE)]
    signs = np.random.Generator(np.random.PCG64(SEED)).integers(0, 2, (len(stripes), terms, STRIPE), np.int8)
    start = np.concatenate([*signs], axis=1)[:, :width] * np.float32(2) - np.float32(1)
    done = 0
    with ThreadPoolExecutor(effort.threads) as pool, threadpool_limits(1, "blas"):  # results change with their number
        for number in range(PASSES):
            image = np.zeros((terms, width), np.float32, order="F")
            columns = [np.ascontiguousarray(start[:, stripe]) for stripe in stripes]
            for ptr, places, values in blocks():
                part = csr_array((values, places, ptr), shape=(len(ptr) - 1, terms))
                for stripe, product in zip(stripes, pool.map(partial(_apply, part), columns), strict=True):
                    image[:, stripe] += product
                done += len(ptr) - 1
                effort.report(done, PASSES * rows)
            if number < PASSES - 1:
                start, _ = qr(image, mode="economic", overwrite_a=True, check_finite=False)
        gram = (start.T @ image).astype(np.float64)
        values, rotation = eigh((gram + gram.T) / 2)
        kept = int((values > MIN_SINGULAR_VALUE * max(values[-1], 0)).sum())
        return _with_fixed_signs(start @ rotation[:, ::-1][:, :kept].astype(np.float32))


def _apply(part: Any, columns: F32) -> F32:
    """XᵀX · columns for some rows of X; SciPy releases the interpreter lock meanwhile."""
    image: F32 = part.T @ (part @ columns)
    return image


def _read_blocks(matrices: Sequence[Matrix], terms: SpaceTerms) -> Iterator[Block]:
    """The rows of X, some at a time: where each begins, the places of its terms, and their values."""
    for matrix, live, place_of in zip(matrices, _live_rows(matrices), terms.places, strict=True):
        for _, (ptr, items, counts) in matrix.by_row.walk(BATCH_POSTINGS, live):
            places = place_of[items]
            known = places >= 0
            row = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))[known]
            chosen = places[known]
            values = dampen(counts[known]) * terms.weights[chosen]
            squares = np.bincount(row, values**2, len(ptr) - 1)
            sizes = np.bincount(row, minlength=len(ptr) - 1)
            yield pointers_from_sizes(sizes), chosen, (values / np.sqrt(squares)[row]).astype(np.float32)


def _live_rows(matrices: Sequence[Matrix]) -> list[Ints]:
    """For each matrix, the rows whose documents were not replaced."""
    return [np.setdiff1d(np.arange(matrix.rows), matrix.deleted, assume_unique=True) for matrix in matrices]


def _with_fixed_signs(vectors: F32) -> F32:
    """Columns with their largest entry positive: the sign of a singular vector is arbitrary."""
    top = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[top, np.arange(vectors.shape[1])] < 0, -1, 1).astype(np.float32)
    return vectors * signs


class PairCounts:
    """How many contexts have both of two terms; the rarest pairs are dropped when there are too many."""

    def __init__(self, terms: int) -> None:
        from scipy.sparse import csr_array

        self.counts = csr_array((terms, terms), dtype=np.int32)
        """The count of terms a and b with a < b."""

    def add(self, ptr: Ints, places: Ints) -> None:
        """Count the pairs of contexts; context i has the terms at `places[ptr[i]:ptr[i + 1]]`."""
        from scipy.sparse import csr_array, triu

        context = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        is_cut = (np.arange(len(places)) - ptr[context]) % MAX_CONTEXT == 0
        begins = np.append(np.flatnonzero(is_cut), len(places))
        shape = len(begins) - 1, self.counts.shape[0]
        contexts = csr_array((np.ones(len(places), np.int32), places, begins), shape=shape)
        self.counts += triu(contexts.T @ contexts, 1, format="csr")
        least = 0
        while self.counts.nnz > (MAX_PAIRS // 2 if least else MAX_PAIRS):
            least += 1
            self.counts.data[self.counts.data <= least] = 0
            self.counts.eliminate_zeros()

    def table(self) -> tuple[Ints, I32, Floats]:
        """The counts in both directions: where the pairs of each term begin, the other term, and the count."""
        both = self.counts + self.counts.T
        return both.indptr.astype(np.int64), both.indices, both.data.astype(np.float64)


def learn_words(index: StoredIndex, language: str, dimensions: int, effort: Effort) -> Basis | None:
    """The basis of the word vectors of a language; None where there are too few documents to learn from."""
    filed = index.filed_matrices(language)
    matrices = [matrix for _, matrix in filed]
    terms = choose_terms(matrices, index.documents_in(language), MAX_WORDS)
    if not terms.names:
        return None
    width = min(dimensions + EXTRA, len(terms.names))
    _check_memory(len(terms.names), width, effort.memory)
    check_pairs(index.filed_statistics(language).tokens, effort.memory)
    ptr, other, counts = _count_contexts(index, language, terms, effort).table()
    if not len(other):
        return None
    totals = np.add.reduceat(np.append(counts, 0), ptr[:-1]) * (np.diff(ptr) > 0)
    smooth = totals**SMOOTHING
    smooth /= smooth.sum()

    def blocks() -> Iterator[Block]:
        """The rows of the transposed matrix: of each context term b the information of the terms a."""
        for first, last in split_spans(np.diff(ptr), BATCH_POSTINGS):
            part = slice(ptr[first], ptr[last])
            b = np.repeat(np.arange(first, last), np.diff(ptr[first : last + 1]))
            values = np.log(counts[part] / totals[other[part]] / smooth[b])
            kept = values > 0
            sizes = np.bincount(b[kept] - first, minlength=last - first)
            yield pointers_from_sizes(sizes), other[part][kept].astype(np.int64), values[kept].astype(np.float32)

    vectors = leading_vectors(blocks, len(terms.names), len(terms.names), width, effort)
    basis = _basis_of(terms, vectors[:, :dimensions])
    return None if basis is None else _with_shift(basis, matrices)


def _spell_memory(needed: int) -> str:
    """The argument that gives so much memory, in whole megabytes."""
    megabytes = -(-needed // 10**6)
    return advise(f"memory={megabytes * 10**6}", f"--memory {megabytes}MB")


def check_pairs(tokens: int, memory: int) -> None:
    """Refuse what does not fit into memory: the pairs of terms, of which a token has at most MAX_CONTEXT / 2."""
    needed = (300 << 20) + PAIR_BYTES * min(MAX_PAIRS, tokens * MAX_CONTEXT // 2)
    if needed > memory:
        size = f"{-(-needed // 10**6)}MB"
        raise UsageError(f"the pairs of terms in {tokens} tokens take up to {size}: give {_spell_memory(needed)}")


def _count_contexts(index: StoredIndex, language: str, terms: SpaceTerms, effort: Effort) -> PairCounts:
    pairs, analyzer = PairCounts(len(terms.names)), BulkAnalyzer(language, index.profile)
    arena = Arena.join(terms.names)
    filed = index.filed_matrices(language)
    chosen = _choose_rows([matrix for _, matrix in filed], MAX_DOCUMENTS)
    done, total = 0, sum(map(len, chosen))
    for (segment, matrix), rows in zip(filed, chosen, strict=True):
        for contexts, documents in _read_contexts(index, segment, matrix, rows, language):
            batch = analyzer.add(contexts)
            place = find_terms(arena, analyzer.export_terms())[batch.terms]
            is_known = place >= 0
            context = np.repeat(np.arange(len(contexts)), np.diff(batch.ptr))[is_known]
            sizes = np.bincount(context, minlength=len(contexts))
            pairs.add(pointers_from_sizes(sizes), place[is_known])
            done += documents
            effort.report(done, total)
    return pairs


def _choose_rows(matrices: Sequence[Matrix], most: int) -> list[Ints]:
    """For each matrix, rows whose documents were not replaced: all of them, or every n-th, to have at most `most`."""
    live = _live_rows(matrices)
    step = -(-sum(map(len, live)) // most)
    return [rows[::step] for rows in live] if step else live


def _read_contexts(
    index: StoredIndex, segment: Segment, matrix: Matrix, rows: Ints, language: str
) -> Iterator[tuple[list[bytes], int]]:
    """The contexts of documents, some at a time, with the number of documents they come from."""
    contexts: list[bytes] = []
    size = documents = 0
    for number in matrix.documents[rows].tolist():
        text = indexed_text(segment.store.record(number), language, index.settings["fields"])
        contexts += BREAKS.split(text)
        size, documents = size + len(text), documents + 1
        if size > BATCH_BYTES:
            yield contexts, documents
            contexts, size, documents = [], 0, 0
    if contexts:
        yield contexts, documents


def _with_shift(basis: Basis, matrices: Sequence[Matrix]) -> Basis:
    """The basis with the mean of the documents, and the first principal component of what they have beyond it."""
    from threadpoolctl import threadpool_limits

    rows = _choose_rows(matrices, MAX_SHIFTED)
    parts = [part for matrix, each in zip(matrices, rows, strict=True) for part in basis.fold_matrix(matrix, each)]
    vectors = np.concatenate(parts)
    vectors = vectors[vectors.any(axis=1)]
    if len(vectors) < 2:
        return basis
    mean = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    centred = vectors - mean
    with threadpool_limits(1, "blas"):
        values, directions = np.linalg.eigh(centred.T @ centred)
    first = directions[:, -1] if values[-1] > 0 else np.zeros(basis.dimensions)
    return replace(basis, shift=np.stack([mean, first.astype(np.float32)]))


# Spaces of an index

DIMENSIONS = 300
VERSION = 1
"""Of what is learned: a change of the method that changes vectors raises it."""


@dataclass(frozen=True)
class SpacePlan:
    """A space that is to be learned, in every language of the index."""

    kind: SpaceKind = LSA
    dimensions: int = DIMENSIONS
    model: str | Path | None = None
    """The folder of the sentence model of a dense space, whose vectors have the length that the model gives them."""

    def __post_init__(self) -> None:
        """Refuse what cannot be learned before any work is done."""
        if self.kind not in KINDS:
            raise UsageError(f"there is no space called {self.kind!r}; there are {', '.join(KINDS)}")
        require_type(self.dimensions, int, "dimensions", "a whole number")
        if not 1 <= self.dimensions <= MAX_DIMENSIONS:
            raise UsageError(f"dimensions must be 1 to {MAX_DIMENSIONS}, not {self.dimensions}")
        if (self.kind == DENSE) != (self.model is not None):
            needed = (
                f"needs the folder of a model ({spell('model')})"
                if self.kind == DENSE
                else "is learned without a model"
            )
            raise UsageError(f"a space of kind {self.kind} {needed}")

    def check(self, threads: int) -> None:
        """Load the model, if there is one, before any work is done."""
        if self.model is not None:
            load_model(str(Path(self.model).resolve()), threads)


def plan_spaces(kind: str, dimensions: int | None = None, model: str | Path | None = None) -> tuple[SpacePlan, ...]:
    """The spaces that a kind denotes, `both` those that are learned without a model."""
    if kind == DENSE and dimensions is not None:
        what = "the vectors of a dense space have the length that its model gives them"
        raise UsageError(f"{spell('dimensions')}: {what}")
    length = {} if dimensions is None else {"dimensions": dimensions}
    kinds = LEARNED if kind == "both" else (kind,)
    return tuple(SpacePlan(cast("SpaceKind", name), model=model, **length) for name in kinds)


LEARNERS: dict[str, Callable[[StoredIndex, str, int, Effort], Basis | None]] = {LSA: learn_lsa, WORDS: learn_words}


def learn_spaces(writer: Writer, manifest: Manifest, plans: Sequence[SpacePlan]) -> Manifest:
    """A manifest with the spaces of these plans in place of those of the same kinds, in every language."""
    if not plans:
        return manifest
    index = StoredIndex(writer.folder, replace(manifest, spaces=()))
    kinds = {plan.kind for plan in plans}
    spaces = [entry for entry in manifest.spaces if entry.kind not in kinds]
    with new_folder(writer.folder, basis_folder(manifest.generation)) as out:
        for plan, language in product(plans, index.languages):
            entry = _learn_space(writer, index, plan, language, out)
            if entry is not None:
                spaces.append(entry)
    spaces.sort(key=lambda entry: (entry.kind, entry.language))
    return extend_spaces(writer, replace(manifest, spaces=tuple(spaces)))


def _learn_space(
    writer: Writer, index: StoredIndex, plan: SpacePlan, language: str, out: FolderWriter
) -> SpaceEntry | None:
    """Learn and write the basis of a space; its entry, as yet without vectors, or None where there is none."""
    documents, generation = index.documents_in(language), index.manifest.generation
    parameters: SpaceParameters = {"version": VERSION, "dimensions": plan.dimensions}
    if plan.model is not None:
        model = load_model(str(Path(plan.model).resolve()), writer.resources.workers)
        parameters |= {"dimensions": model.dimensions, "folder": str(model.folder), "model": model.digest}
        return SpaceEntry(DENSE, language, model.dimensions, 0, documents, generation, parameters, {}, {})
    report = _reporter(writer, f"{plan.kind} in {language or 'unknown'}")
    effort = Effort(writer.resources.workers, writer.resources.total, report)
    basis = LEARNERS[plan.kind](index, language, plan.dimensions, effort)
    if basis is None:
        return None
    terms = len(basis.weights)
    entry = SpaceEntry(plan.kind, language, basis.dimensions, terms, documents, generation, parameters, {}, {})
    basis.write(out, entry.name, shifted=plan.kind == WORDS)
    return replace(entry, files={name: out.files[f"{entry.name}/{name}"] for name in sorted(basis_files(plan.kind))})


def extend_spaces(writer: Writer, manifest: Manifest) -> Manifest:
    """A manifest whose spaces have vectors of the documents of all its segments, and of no others.

    Documents of new segments are folded in with the basis that is there.
    """
    if not manifest.spaces:
        return manifest
    index = StoredIndex(writer.folder, replace(manifest, spaces=()))
    stored: list[dict[str, SegmentVectors]] = [
        {name: vectors for name, vectors in entry.segments.items() if name in {one.name for one in manifest.segments}}
        for entry in manifest.spaces
    ]
    bases: dict[int, Basis | SentenceModel] = {}
    for segment in index.segments:
        missing = [
            at
            for at, entry in enumerate(manifest.spaces)
            if entry.language in segment.languages and segment.name not in stored[at]
        ]
        if not missing:
            continue
        with new_folder(writer.folder, vectors_folder(manifest.generation, segment.name)) as out:
            for at in missing:
                entry = manifest.spaces[at]
                if at not in bases:
                    bases[at] = _open_maker(writer, entry)
                report = _reporter(writer, f"{entry.kind} vectors in {entry.language or 'unknown'}")
                _write_vectors(out, f"{entry.name}.f32", bases[at], segment, segment.matrices[entry.language], report)
        for at in missing:
            file = out.files[f"{manifest.spaces[at].name}.f32"]
            stored[at][segment.name] = SegmentVectors(manifest.generation, file)
    extended = (
        replace(entry, segments={name: segments[name] for name in sorted(segments)})
        for entry, segments in zip(manifest.spaces, stored, strict=True)
    )
    return replace(manifest, spaces=tuple(each for each in extended if each.segments))


def _open_maker(writer: Writer, entry: SpaceEntry) -> Basis | SentenceModel:
    if entry.kind == DENSE:
        return model_of(entry, writer.resources.workers)
    return open_basis(SegmentFiles(writer.folder / SEGMENTS / entry.folder, entry.files), entry)


def check_models(manifest: Manifest) -> None:
    """Refuse to add to an index whose dense space could not be extended, before any work is done."""
    for entry in manifest.spaces:
        if entry.kind == DENSE:
            try:
                model_of(entry)
            except AntecedeError as error:
                remedy = "`antecede learn space INDEX --remove dense` removes the space"
                raise UsageError(
                    f"the index has a dense space, and its model cannot be used: {error}; {remedy}"
                ) from None


def _write_vectors(
    out: FolderWriter,
    name: str,
    maker: Basis | SentenceModel,
    segment: Segment,
    matrix: Matrix,
    report: Callable[[int, int], None],
) -> None:
    """Write the vectors of all rows of a matrix, some at a time."""
    parts = maker.embed_matrix(segment, matrix) if isinstance(maker, SentenceModel) else maker.fold_matrix(matrix)
    done = 0
    with out.stream(name) as file:
        for part in parts:
            file.write(np.ascontiguousarray(part, "<f4").view(np.uint8).reshape(-1).data)
            done += len(part)
            report(done, matrix.rows)


def relearn_spaces(writer: Writer, manifest: Manifest) -> Manifest:
    """A manifest whose spaces were learned anew from all its documents, as when an index is built in one go."""
    plans = {entry.kind: entry.parameters["dimensions"] for entry in manifest.spaces if entry.kind in LEARNERS}
    dense = tuple(replace(entry, segments={}) for entry in manifest.spaces if entry.kind == DENSE)
    kept = replace(manifest, spaces=dense)
    learned = [SpacePlan(cast("SpaceKind", kind), plans[kind]) for kind in sorted(plans)]
    return learn_spaces(writer, kept, learned) if learned else extend_spaces(writer, kept)


def are_current(manifest: Manifest) -> bool:
    """Whether every space was learned from the documents that the index has now."""
    latest = max(int(entry.name[1:]) for entry in manifest.segments)
    return all(entry.generation >= latest or entry.kind == DENSE for entry in manifest.spaces)


def _reporter(writer: Writer, step: str) -> Callable[[int, int], None]:
    return lambda done, total: writer.progress(BuildProgress(step, 0, done, total))
