"""A sentence-embedding model that the user has on disk, as one more kind of latent space.

The folder of the model holds `tokenizer.json` and `model.onnx` (or `onnx/model.onnx`), as sentence-transformers models
are exported. Nothing is downloaded. A document is embedded by its title and abstract in the language of the space; the
vectors of its tokens are averaged (mean pooling) unless the model does so itself, and scaled to unit length.

onnxruntime and tokenizers come with `antecede[dense]`.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import InputError, UsageError
from antecede.index.files import file_of, read_array
from antecede.index.manifest import MOST_DIMENSIONS
from antecede.index.matrix import AssumedLanguageMatrix
from antecede.index.spaces.space import Space, normalize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.index import Segment
    from antecede.index.manifest import SpaceEntry
    from antecede.index.matrix import Matrix
    from antecede.index.spaces.space import Pairs
    from antecede.patent import Patent

    Floats = NDArray[np.float32]

TOKENIZER = "tokenizer.json"
MODELS = ("model.onnx", "onnx/model.onnx")
LONGEST = 256
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
            self.tokenizer.enable_truncation(LONGEST)
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

    def embed(self, texts: Sequence[str]) -> Floats:
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

    def pool(self, output: NDArray[Any], mask: NDArray[np.int64]) -> Floats:
        """The output of the model as a vector per text: the mean over the tokens, unless it is that already."""
        fits = output.shape[:2] == mask.shape if output.ndim == 3 else output.ndim == 2 and len(output) == len(mask)
        if not fits or not 1 <= output.shape[-1] <= MOST_DIMENSIONS or output.dtype.kind != "f":
            raise InputError(
                f"gives an output of shape {output.shape}, not a vector per token or text", source=str(self.path)
            )
        if not np.isfinite(output).all():
            raise InputError("gives numbers that are not finite", source=str(self.path))
        if output.ndim == 2:
            return output.astype(np.float32)
        sums = (output * mask[:, :, None]).sum(axis=1, dtype=np.float64)
        return np.asarray(sums / np.maximum(mask.sum(axis=1), 1)[:, None], np.float32)

    def embed_matrix(self, segment: Segment, matrix: Matrix) -> Iterator[Floats]:
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
    folder = str(entry.parameters["folder"])
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

    def load(self, at: int) -> Floats:
        """The vectors of a matrix; those of documents of unknown language come from the space of these."""
        segment, matrix = self.matrices[at]
        if not isinstance(matrix, AssumedLanguageMatrix):
            return super().load(at)
        if self.unknown is None or segment.name not in self.unknown.segments:
            return np.zeros((matrix.rows, self.dimensions), np.float32)
        path = self.folder / self.unknown.vectors_path(segment.name)
        whole = read_array(path, self.unknown.segments[segment.name].file)
        vectors: Floats = whole.reshape(-1, self.dimensions)[matrix.source_rows]
        return vectors

    def text_vector(self, text: str) -> Floats:
        """The vector of a text."""
        vector: Floats = model_of(self.entry).embed([text])[0]
        return vector

    def patent_vector(self, patent: Patent) -> Floats:
        """The vector of a patent by its title and abstract in the language of the space; 0 if it has neither."""
        text = text_for(patent, self.language)
        return self.text_vector(text) if text else np.zeros(self.dimensions, np.float32)

    def query_vector(self, terms: Sequence[str], counts: Sequence[float] | NDArray[Any]) -> Floats:  # noqa: ARG002
        """Terms are not a text: a sentence model cannot embed them."""
        raise UsageError("a dense space is searched with texts, not with terms: use text_vector or patent_vector")
