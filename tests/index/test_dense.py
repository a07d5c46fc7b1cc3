"""A sentence model from a folder as a latent space: a real model in ONNX with a real tokenizer, both very small."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.embedded.engine import EmbeddedEngine
from antecede.errors import AntecedeError, InputError, UsageError
from antecede.index import SpacePlan, add_to_index, build_index, learn_space, merge_index, verify_index
from antecede.index.maintain import remove_space
from antecede.index.spaces import MAX_TOKENS, DenseSpace, SentenceModel, load_model
from antecede.patent import Patent
from tests.index.worlds import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

onnx = pytest.importorskip("onnx", reason="the extra `dense` is not installed")
pytest.importorskip("onnxruntime", reason="the extra `dense` is not installed")
tokenizers = pytest.importorskip("tokenizers", reason="the extra `dense` is not installed")

WORDS = ["[PAD]", "[UNK]", "valve", "pump", "antenna", "signal", "ventil", "zeta"]
VECTORS = np.array(
    [[9, 9, 9], [0, 0, 0.01], [1, 0, 0], [0.9, 0.1, 0], [0, 1, 0], [0, 0.9, 0.3], [1, 0, 0.1], [0, 0, 1]], np.float32
)


def make_model(folder: Path, *, pooled: bool = False, vectors: Any = VECTORS, extra: str | None = None) -> Path:
    """A model that gives each token its vector; `pooled` adds the mean over all tokens, and `extra` another input."""
    from onnx import TensorProto, helper, numpy_helper

    folder.mkdir()
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"]) for name in ("input_ids", "attention_mask")
    ]
    if extra is not None:
        inputs.append(helper.make_tensor_value_info(extra, TensorProto.INT64, ["b", "s"]))
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["tokens"])]
    shape: list[Any] = ["b", "s", 3]
    if pooled:
        nodes.append(helper.make_node("ReduceMax", ["tokens", "axes"], ["best"], keepdims=0))
        shape = ["b", 3]
    output = helper.make_tensor_value_info("best" if pooled else "tokens", TensorProto.FLOAT, shape)
    constants = [numpy_helper.from_array(vectors, "table"), numpy_helper.from_array(np.array([1]), "axes")]
    graph = helper.make_graph(nodes, "tiny", inputs, [output], constants[: 1 + pooled])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, str(folder / "model.onnx"))
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]")  # noqa: S106
    )
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Path]:
    """The folder of a model; models are loaded anew for each test."""
    load_model.cache_clear()
    yield make_model(tmp_path / "model")
    load_model.cache_clear()


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Four English documents, one of them without title and abstract, a German one and one of unknown language."""
    patents: list[dict[str, Any]] = [
        {"doc_id": "EP1", "title": {"en": "Valve"}, "abstract": {"en": "pump"}},
        {"doc_id": "EP2", "title": {"en": "Antenna signal"}},
        {"doc_id": "EP3", "title": {"en": "valve"}, "description": {"en": "antenna antenna"}},
        {"doc_id": "EP4", "claims": {"en": ["a valve"]}},
        {"doc_id": "EP5", "title": {"de": "Ventil"}},
        {"doc_id": "EP6", "title": "zeta"},
    ]
    build_index(write(tmp_path / "a.jsonl", patents), tmp_path / "index", workers=1)
    return tmp_path / "index"


def dense_space(index: Path, language: str) -> DenseSpace:
    space = EmbeddedEngine.open(index).stored_space(language, "dense")
    assert isinstance(space, DenseSpace)
    return space


def unit(*vector: float) -> list[float]:
    return [each / float(np.linalg.norm(vector)) for each in vector]


def test_a_text_is_the_mean_of_its_tokens_without_the_padding(model: Path) -> None:
    loaded = SentenceModel(model)
    found = loaded.embed(["valve pump", "Antenna", "valve valve valve signal"])
    assert found.dtype == np.float32
    assert found[0].tolist() == pytest.approx(unit(1.9, 0.1, 0))
    assert found[1].tolist() == pytest.approx([0, 1, 0])
    assert found[2].tolist() == pytest.approx(unit(3, 0.9, 0.3))
    assert loaded.embed([""]).tolist() == [[0, 0, 0]]
    assert loaded.dimensions == 3


def test_the_output_of_a_model_that_pools_is_taken_as_it_is(tmp_path: Path) -> None:
    found = SentenceModel(make_model(tmp_path / "pooled", pooled=True)).embed(["valve antenna"])
    assert found[0].tolist() == pytest.approx(unit(1, 1, 0))


def test_a_long_text_is_cut(model: Path) -> None:
    found = SentenceModel(model).embed(["valve " * MAX_TOKENS + "antenna " * 5000])
    assert found[0].tolist() == pytest.approx([1, 0, 0])


def test_documents_are_embedded_by_title_and_abstract(model: Path, index: Path) -> None:
    learned = learn_space(index, SpacePlan("dense", model=model), workers=1)
    assert {each.language for each in learned.spaces} == {"en", "de", ""}
    space = dense_space(index, "en")
    assert space.vectors(0).tolist() == [
        pytest.approx(unit(1.9, 0.1, 0)), pytest.approx(unit(0, 1.9, 0.3)), [1, 0, 0], [0, 0, 0]
    ]  # fmt: skip
    assert space.vectors(1).tolist() == [[0, 0, 1]]
    assert verify_index(index).ok
    engine = EmbeddedEngine.open(index)
    searched = engine.space("en", "dense")
    assert searched is not None
    numbers, _ = searched.nearest(space.text_vector("a valve"), 5)
    assert engine.numbers_of_rows("en", 0, np.array([2, 0])).tolist() == numbers.tolist()[:2]
    topic = Patent("EP9", title={"en": "signal"})
    numbers, _ = searched.nearest(searched.patent_vector(topic), 1)
    assert engine.numbers_of_rows("en", 0, np.array([1])).tolist() == numbers.tolist()
    assert not space.patent_vector(Patent("EP9", title={"de": "Ventil"})).any()
    with pytest.raises(UsageError, match="searched with texts"):
        space.query_vector(["valv"], [1])


def test_added_documents_are_embedded_and_merging_keeps_the_space(model: Path, index: Path, tmp_path: Path) -> None:
    learn_space(index, SpacePlan("dense", model=model), SpacePlan("lsa", 2), workers=1)
    add_to_index(index, write(tmp_path / "b.jsonl", [{"doc_id": "EP7", "title": {"en": "antenna"}}]), workers=1)
    assert verify_index(index).ok
    merge_index(index, workers=1)
    assert verify_index(index).ok
    space = dense_space(index, "en")
    assert [space.vectors(at).shape for at in (0, 1)] == [(5, 3), (1, 3)]
    assert space.vectors(0)[4] @ space.text_vector("antenna") == pytest.approx(1)


def test_a_model_that_is_gone_or_changed_is_refused_before_any_work(model: Path, index: Path, tmp_path: Path) -> None:
    learn_space(index, SpacePlan("dense", model=model), workers=1)
    more = write(tmp_path / "b.jsonl", [{"doc_id": "EP7", "title": {"en": "antenna"}}])
    model.rename(tmp_path / "elsewhere")
    load_model.cache_clear()
    for change in (lambda: add_to_index(index, more, workers=1), lambda: merge_index(index, workers=1)):
        with pytest.raises(
            UsageError, match=r"its model cannot be used: .*is not the folder of a model.*--remove dense"
        ):
            change()
    space = dense_space(index, "en")
    assert len(space.vectors(0)) == 4
    with pytest.raises(InputError, match="is not the folder of a model"):
        space.text_vector("valve")
    make_model(model, vectors=VECTORS * 2)
    with pytest.raises(UsageError, match="is not the model that the dense space was made with"):
        add_to_index(index, more, workers=1)
    remove_space(index, "dense")
    assert add_to_index(index, more, workers=1).indexed == 1
    assert EmbeddedEngine.open(index).space("en", "dense") is None
    with pytest.raises(UsageError, match="has no space of kind 'dense'"):
        remove_space(index, "dense")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "tokenizer.json").unlink(), "is not the folder of a model"),
        (lambda folder: (folder / "model.onnx").unlink(), "is not the folder of a model"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "is not a tokenizer"),
        (lambda folder: (folder / "model.onnx").write_bytes(b"abc"), "is not a model that can be loaded"),
        (lambda folder: (folder / "model.onnx").write_bytes((folder / "model.onnx").read_bytes()[:-9]), "can"),
        (lambda folder: shutil.rmtree(folder), "is not the folder of a model"),
    ],
)
def test_a_damaged_folder_is_one_line(model: Path, index: Path, damage: Callable[[Path], object], message: str) -> None:
    damage(model)
    before = EmbeddedEngine.open(index).manifest
    with pytest.raises(AntecedeError, match=message) as error:
        learn_space(index, SpacePlan("dense", model=model), workers=1)
    assert "\n" not in str(error.value)
    assert EmbeddedEngine.open(index).manifest == before


def test_models_of_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="takes attention_mask, input_ids, pixels"):
        SentenceModel(make_model(tmp_path / "a", extra="pixels"))
    with pytest.raises(InputError, match="not finite"):
        SentenceModel(make_model(tmp_path / "b", vectors=VECTORS * np.float32(np.nan))).embed(["valve"])
    with pytest.raises(InputError, match="cannot embed"):
        SentenceModel(make_model(tmp_path / "c", vectors=VECTORS[:3])).embed(["zeta"])


def test_without_the_extra_it_is_one_line(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(UsageError, match=r"pip install 'antecede\[dense\]'"):
        SentenceModel(model)


def test_a_ranking_takes_the_vectors_in_where_it_is_told_to(model: Path, index: Path) -> None:
    from antecede.search import open_index as open_engine

    learn_space(index, SpacePlan("dense", model=model), workers=1)
    topic = Patent("EP9", language="en", title={"en": "pump"})
    engine = open_engine(index)
    without = {hit.doc_id for hit in engine.search(topic, ranking="bm25=1").hits}
    found = [hit.doc_id for hit in engine.search(topic, ranking="bm25=0.001,sentence_vectors=1").hits]
    assert without == {"EP1"}
    assert found[:2] == ["EP1", "EP3"]
    text = engine.search("pump", ranking="bm25=1,sentence_vectors=1")
    assert [hit.doc_id for hit in text.hits] == ["EP1"]
