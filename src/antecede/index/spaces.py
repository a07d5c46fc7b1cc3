"""A latent space of an index: how terms become a vector, and the exact search, by brute force over the memory-mapped
vectors.

Each known term has a weight and a vector, and a text is their weighted sum. For a text with n(t) occurrences of t, the
vector is Σ_t f(n(t)) · w(t) · b(t), with f(n) = 1 + log n, the weight w(t) = log(N/df) as it was when the basis was
learned, and b(t) the row of the basis. In LSA b(t) is the row of V in X ≈ U S Vᵀ, so that the vector of a document is
its row of U S: documents that are added later and queries are folded in by the very formula that gave the vectors of
the others (Deerwester et al., JASIS 1990). Vectors have unit length; one without a known term is 0.

A dense space has the vectors of a sentence-embedding model that the user has on disk. The folder of the model holds
`tokenizer.json` and `model.onnx` (or `onnx/model.onnx`), as sentence-transformers models are exported. Nothing is
downloaded. A document is embedded by its title and abstract in the language of the space; the vectors of its tokens are
averaged (mean pooling) unless the model does so itself, and scaled to unit length. onnxruntime and tokenizers come with
`antecede[dense]`.
"""

from __future__ import annotations

import hashlib
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.arrays import pointers_from_sizes
from antecede.errors import InputError, UsageError
from antecede.index.files import SegmentFiles, check_folder, damaged, file_of, read_array
from antecede.index.manifest import BASIS, MAX_DIMENSIONS, SHIFT, TERMS, TERMS_PTR, WEIGHTS
from antecede.index.matrix import AssumedLanguageMatrix
from antecede.index.terms import concatenate_texts, find_terms, is_sorted, read_texts
from antecede.kernels import kernel, read_only

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.arrays import F32, U32, Floats, Ints
    from antecede.index.files import FolderWriter
    from antecede.index.index import Segment
    from antecede.index.manifest import SpaceEntry
    from antecede.index.matrix import Matrix
    from antecede.patent import Patent
    from antecede.text.vocabulary import Arena

    Counts = U32 | Floats
    Pairs = Sequence[tuple[Segment, Matrix]]

BATCH_POSTINGS = 1 << 19
"""Postings that are decoded at a time; a fixed number, so that sums do not depend on the memory allowed."""
MAX_COMPONENT = 1e6
"""No number of a basis comes near it: one beyond was not computed by us."""


@dataclass(frozen=True, eq=False)
class Basis:
    """Terms in the order of their bytes, the weight and the vector of each."""

    terms: Arena
    weights: F32
    vectors: F32
    shift: F32
    """Two vectors: one to subtract from a sum of unit length, and a direction to remove from it; zeros for none."""

    @property
    def dimensions(self) -> int:
        return int(self.vectors.shape[1])

    def find(self, terms: Sequence[str]) -> Ints:
        """The places of terms, −1 for an unknown one."""
        return find_terms(self.terms, concatenate_texts(terms))

    def fold(self, ptr: Ints, places: Ints, counts: Counts) -> F32:
        """The vectors of texts; text i has the terms at `places[ptr[i]:ptr[i + 1]]`, −1 for an unknown one."""
        known = places >= 0
        sizes = np.add.reduceat(np.append(known, False), ptr[:-1]) * (np.diff(ptr) > 0) if len(ptr) > 1 else ptr[:0]
        chosen = places[known]
        values = (dampen(counts[known]) * self.weights[chosen]).astype(np.float32)
        out = np.zeros((len(ptr) - 1, self.dimensions), np.float32)
        _weighted_sums(pointers_from_sizes(sizes.astype(np.int64)), chosen, values, read_only(self.vectors), out)
        return self.finish(out)

    def finish(self, sums: F32) -> F32:
        """Sums as vectors of unit length, shifted where the kind of space asks for it."""
        unit = normalize(sums)
        if not self.shift.any():
            return unit
        there = unit.any(axis=1)
        mean, direction = self.shift
        unit = unit - mean
        along = (unit * direction).sum(axis=1, dtype=np.float64).astype(np.float32)
        unit = normalize(unit - along[:, None] * direction)
        unit[~there] = 0
        return unit

    def fold_matrix(self, matrix: Matrix, rows: Ints | None = None) -> Iterator[F32]:
        """The vectors of all rows of a matrix, or of some, in order, some at a time."""
        place = self.find(matrix.all_terms())
        for _, vectors in matrix.by_row.walk(BATCH_POSTINGS, rows):
            yield self.fold(vectors.ptr, place[vectors.items], vectors.counts)

    def write(self, out: FolderWriter, folder: str, *, shifted: bool) -> None:
        out.array(f"{folder}/{TERMS}", self.terms.data)
        out.array(f"{folder}/{TERMS_PTR}", self.terms.ptr)
        out.array(f"{folder}/{WEIGHTS}", self.weights)
        out.array(f"{folder}/{BASIS}", self.vectors)
        if shifted:
            out.array(f"{folder}/{SHIFT}", self.shift)


def open_basis(files: SegmentFiles, entry: SpaceEntry) -> Basis:
    """The basis of a space from its files, refused by name where it is not what was written."""
    terms = read_texts(files, TERMS, TERMS_PTR, entry.terms)
    if not is_sorted(terms, np.arange(entry.terms, dtype=np.uint32)):
        raise damaged(files.folder / TERMS_PTR, "its terms are not sorted words")
    weights = files.array(WEIGHTS, entry.terms)
    vectors = files.array(BASIS, entry.terms * entry.dimensions).reshape(entry.terms, entry.dimensions)
    shift = np.zeros((2, entry.dimensions), np.float32)
    if SHIFT in entry.files:
        shift = files.array(SHIFT, 2 * entry.dimensions).reshape(2, entry.dimensions)
    for name, values in ((WEIGHTS, weights), (BASIS, vectors), (SHIFT, shift)):
        if len(values) and not float(np.abs(values).max()) < MAX_COMPONENT:  # not a number is not below it either
            raise damaged(files.folder / name, "it holds what is not a number, or far too large")
    return Basis(terms, weights, vectors, shift)


def dampen(counts: Counts) -> Floats:
    """f(n) = 1 + log n; below 1, as weights may be, n itself."""
    return np.where(counts < 1, counts, 1 + np.log(np.maximum(counts, 1)))


def normalize(vectors: F32) -> F32:
    """Rows of unit length; a row of zeros stays."""
    lengths = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1))
    lengths[lengths < 1e-12] = np.inf
    return np.asarray(vectors / lengths[:, None], np.float32)


@kernel
def _weighted_sums(ptr: Ints, places: Ints, values: F32, vectors: F32, out: F32) -> None:
    """out[i] += Σ_j values[j] · vectors[places[j]] over the entries j of text i.

    Bounds: `ptr` comes from sizes of the entries, of which there are as many as values; places are rows of `vectors`,
    found among its terms; `out` has a row per text, as wide as the vectors.
    """
    width = vectors.shape[1]
    for i in range(len(ptr) - 1):
        for j in range(ptr[i], ptr[i + 1]):
            place, value = places[j], values[j]
            for k in range(width):
                out[i, k] += value * vectors[place, k]


NOT_UNIT = 1e-3
"""How far the squared length of a vector may be from 1."""
BATCH_VECTORS = 1 << 16
"""Vectors that are checked, or compared, at a time."""


class Space:
    """Vectors of the documents that a search in a language looks at; may be used from several threads.

    A place is the position of a matrix in `index.matrices(language)` and a row of that matrix. Scores are cosines.
    """

    def __init__(self, folder: Path, entry: SpaceEntry, matrices: Pairs) -> None:
        """`folder` is that of the segments; `matrices` are those of the index in the language of the space."""
        self.entry, self.matrices, self.folder = entry, matrices, folder
        self.kind, self.language, self.dimensions = entry.kind, entry.language, entry.dimensions
        self._vectors: dict[int, F32] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Space {self.kind} of {self.language or 'unknown'}: {self.dimensions} dimensions>"

    @cached_property
    def basis(self) -> Basis:
        """How terms become a vector."""
        path = self.folder / self.entry.folder
        check_folder(path.parent)
        check_folder(path)
        return open_basis(SegmentFiles(path, self.entry.files), self.entry)

    def vectors(self, at: int) -> F32:
        """The vectors of the rows of a matrix; their checksum, and that each has unit length or is 0, is checked once.

        Documents of unknown language, which a search in any language looks at, are folded in when first needed.
        """
        if at not in self._vectors:
            with self._lock:
                if at not in self._vectors:
                    self._vectors[at] = self.load(at)
        return self._vectors[at]

    def load(self, at: int) -> F32:
        """The vectors of a matrix from their file, or from the basis where the matrix is not on disk either."""
        segment, matrix = self.matrices[at]
        if isinstance(matrix, AssumedLanguageMatrix):
            return np.concatenate([np.zeros((0, self.dimensions), np.float32), *self.basis.fold_matrix(matrix)])
        return self.read(self.entry, segment, matrix.rows)

    def read(self, entry: SpaceEntry, segment: Segment, rows: int) -> F32:
        """The vectors of a segment from their file, refused by name where one has not unit length."""
        path = self.folder / entry.vectors_path(segment.name)
        check_folder(path.parent)
        data = read_array(path, entry.segments[segment.name].file, rows * self.dimensions)
        vectors: F32 = data.reshape(rows, self.dimensions)
        for first in range(0, rows, BATCH_VECTORS):
            part = vectors[first : first + BATCH_VECTORS]
            squares = np.einsum("ij,ij->i", part, part)
            if not ((np.abs(squares - 1) < NOT_UNIT) | (squares == 0)).all():
                raise damaged(path, "a vector has not unit length")
        return vectors

    def query_vector(self, terms: Sequence[str], counts: Sequence[float] | NDArray[np.floating]) -> F32:
        """The vector of a text, given its terms and how often each occurs; 0 where the space knows none of them."""
        values = np.asarray(counts, np.float64)
        if len(values) != len(terms) or not (np.isfinite(values) & (values >= 0)).all():
            raise ValueError("there must be a count per term, finite and not negative")
        vector: F32 = self.basis.fold(np.array([0, len(terms)], np.int64), self.basis.find(terms), values)[0]
        return vector

    def patent_vector(self, patent: Patent) -> F32:  # noqa: ARG002
        """The vector of a patent, where a sentence model makes vectors."""
        raise UsageError("this space is searched with terms, not with texts: use query_vector")


# Vectors that a sentence model makes

TOKENIZER = "tokenizer.json"
MODELS = ("model.onnx", "onnx/model.onnx")
MAX_TOKENS = 256
"""Tokens of a text that are embedded, unless the tokenizer says otherwise."""
BATCH = 32
INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
EXTRA = "pip install 'antecede[dense]'"


class SentenceModel:
    """A model loaded from its folder; may be used from several threads."""

    def __init__(self, folder: str | Path, threads: int = 1) -> None:
        self.folder = Path(folder)
        paths = [self.folder / name for name in MODELS if (self.folder / name).is_file()]
        if not paths or not (self.folder / TOKENIZER).is_file():
            raise InputError(
                f"is not the folder of a model: it must hold {TOKENIZER} and {MODELS[0]}", source=str(self.folder)
            )
        self.path = paths[0]
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError:
            raise UsageError(f"a dense space needs onnxruntime and tokenizers: {EXTRA}") from None
        with _errors_of_library("is not a tokenizer", self.folder / TOKENIZER):
            self.tokenizer: Any = Tokenizer.from_file(str(self.folder / TOKENIZER))
        if self.tokenizer.truncation is None:
            self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = threads, 4
        with _errors_of_library("is not a model that can be loaded", self.path):
            self.session: Any = onnxruntime.InferenceSession(
                str(self.path), options, providers=["CPUExecutionProvider"]
            )
        self.inputs = {each.name for each in self.session.get_inputs()}
        if "input_ids" not in self.inputs or not self.inputs <= INPUTS:
            raise InputError(
                f"takes {', '.join(sorted(self.inputs))}; a model of sentences takes {', '.join(sorted(INPUTS))}",
                source=str(self.path),
            )

    @cached_property
    def digest(self) -> str:
        """What identifies the model: the checksum of its files."""
        files = (file_of(path).sha256 for path in (self.path, self.folder / TOKENIZER))
        return hashlib.sha256(" ".join(files).encode()).hexdigest()

    @cached_property
    def dimensions(self) -> int:
        return int(self.embed(["a"]).shape[1])

    def embed(self, texts: Sequence[str]) -> F32:
        """The vectors of texts, of unit length."""
        encoded = self.tokenizer.encode_batch(list(texts))
        longest = max(1, *(len(encoding.ids) for encoding in encoded))
        ids = np.zeros((len(texts), longest), np.int64)
        mask = np.zeros((len(texts), longest), np.int64)
        for row, encoding in enumerate(encoded):
            ids[row, : len(encoding.ids)], mask[row, : len(encoding.ids)] = encoding.ids, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        with _errors_of_library("cannot embed texts", self.path):
            output = self.session.run(None, {name: given[name] for name in self.inputs})[0]
        return normalize(self.pool(np.asarray(output), mask))

    def pool(self, output: NDArray[Any], mask: Ints) -> F32:
        """The output of the model as a vector per text: the mean over the tokens, unless it is that already."""
        fits = output.shape[:2] == mask.shape if output.ndim == 3 else output.ndim == 2 and len(output) == len(mask)
        if not fits or not 1 <= output.shape[-1] <= MAX_DIMENSIONS or output.dtype.kind != "f":
            raise InputError(
                f"gives an output of shape {output.shape}, not a vector per token or text", source=str(self.path)
            )
        if not np.isfinite(output).all():
            raise InputError("gives numbers that are not finite", source=str(self.path))
        if output.ndim == 2:
            return output.astype(np.float32)
        sums = (output * mask[:, :, None]).sum(axis=1, dtype=np.float64)
        return np.asarray(sums / np.maximum(mask.sum(axis=1), 1)[:, None], np.float32)

    def embed_matrix(self, segment: Segment, matrix: Matrix) -> Iterator[F32]:
        """The vectors of the documents of a matrix, in order, some at a time; 0 for one without title and abstract."""
        numbers = matrix.documents.tolist()
        for first in range(0, len(numbers), BATCH):
            texts = [
                text_for(segment.store.record(number), matrix.language) for number in numbers[first : first + BATCH]
            ]
            out = np.zeros((len(texts), self.dimensions), np.float32)
            there = [at for at, text in enumerate(texts) if text]
            if there:
                out[there] = self.embed([texts[at] for at in there])
            yield out


def text_for(patent: Patent, language: str) -> str:
    """What a document is embedded by: its title and abstract in a language."""
    return "\n".join(filter(None, (patent.title.get(language), patent.abstract.get(language))))


@contextmanager
def _errors_of_library(what: str, path: Path) -> Iterator[None]:
    """Report what a library raises in one line; onnxruntime and tokenizers raise bare exceptions."""
    try:
        yield
    except Exception as error:  # noqa: BLE001
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{what} ({why})", source=str(path)) from None


@lru_cache(maxsize=2)
def load_model(folder: str, threads: int = 1) -> SentenceModel:
    """A model, loaded once."""
    return SentenceModel(folder, threads)


def model_of(entry: SpaceEntry, threads: int = 1) -> SentenceModel:
    """The model that a space was made with; refused where it is gone, or another one is in its place."""
    folder = entry.parameters["folder"]
    model = load_model(folder, threads)
    if model.digest != entry.parameters["model"]:
        raise InputError(
            "is not the model that the dense space was made with",
            source=folder,
            remedy="put that one back, or make the space anew: antecede learn space INDEX --kind dense --model FOLDER",
        )
    return model


class DenseSpace(Space):
    """A space whose vectors a sentence model made. Queries are texts: `text_vector`."""

    def __init__(self, folder: Path, entry: SpaceEntry, matrices: Pairs, unknown: SpaceEntry | None) -> None:
        """`unknown` is the space of the documents of unknown language, which every search looks at."""
        super().__init__(folder, entry, matrices)
        self.unknown = unknown

    def load(self, at: int) -> F32:
        """The vectors of a matrix; those of documents of unknown language come from the space of these."""
        segment, matrix = self.matrices[at]
        if not isinstance(matrix, AssumedLanguageMatrix):
            return super().load(at)
        if self.unknown is None or segment.name not in self.unknown.segments:
            return np.zeros((matrix.rows, self.dimensions), np.float32)
        vectors: F32 = self.read(self.unknown, segment, matrix.source.rows)[matrix.source_rows]
        return vectors

    def text_vector(self, text: str) -> F32:
        """The vector of a text."""
        vector: F32 = model_of(self.entry).embed([text])[0]
        return vector

    def patent_vector(self, patent: Patent) -> F32:
        """The vector of a patent by its title and abstract in the language of the space; 0 if it has neither."""
        text = text_for(patent, self.language)
        return self.text_vector(text) if text else np.zeros(self.dimensions, np.float32)

    def query_vector(self, terms: Sequence[str], counts: Sequence[float] | NDArray[Any]) -> F32:  # noqa: ARG002
        """Terms are not a text: a sentence model cannot embed them."""
        raise UsageError("a dense space is searched with texts, not with terms: use text_vector or patent_vector")
