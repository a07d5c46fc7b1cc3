"""Latent spaces: what is learned is what a textbook decomposition gives, and it stays true to the index."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from antecede.conditions.filters import Filters, NamedCondition
from antecede.conditions.tree import Fact
from antecede.embedded.engine import EmbeddedEngine
from antecede.embedded.selection import MaskSelection
from antecede.errors import InputError, UsageError
from antecede.index import SpacePlan, add_to_index, build_index, learn_space, merge_index, verify_index
from antecede.index import space_learning as learning
from antecede.index.space_learning import Effort, leading_vectors, learn_lsa
from antecede.index.statistics import describe_index
from tests.fuzz.index_worlds import seal
from tests.index.worlds import all_bytes, dense_counts, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.embedded.spaces import EmbeddedSpace
    from antecede.index.spaces import Space

THEMES = [
    ["valve", "piston", "cylinder", "pressure", "pump"],
    ["antenna", "signal", "receiver", "modulation", "carrier"],
    ["polymer", "resin", "monomer", "catalyst", "molecule"],
]

ALL_WORDS = [word for theme in THEMES for word in theme]


def themed_patents(seed: int, size: int, start: int = 0, language: str = "en") -> list[dict[str, Any]]:
    """Patents of a few words, each on one of three themes."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret
    return [
        {
            "doc_id": f"EP{2000000 + start + number}",
            "title": {language: " ".join(chance.choices(THEMES[number % 3], k=6) + chance.choices(ALL_WORDS, k=2))},
        }
        for number in range(size)
    ]


def build_learned(folder: Path, patents: list[dict[str, Any]], *plans: SpacePlan, workers: int = 1) -> Path:
    """An index of patents with spaces, in a new folder."""
    folder.mkdir(exist_ok=True)
    build_index(write(folder / "a.jsonl", patents), folder / "index", workers=workers, spaces=plans)
    return folder / "index"


def space_of(index: EmbeddedEngine | Path, kind: str = "lsa") -> Space:
    """The English space of an index that has one."""
    opened = index if isinstance(index, EmbeddedEngine) else EmbeddedEngine.open(index)
    space = opened.stored_space("en", kind)
    assert space is not None
    return space


def searched_space(index: EmbeddedEngine, kind: str = "lsa") -> EmbeddedSpace:
    """The same as it is searched, by the numbers of documents."""
    space = index.space("en", kind)
    assert space is not None
    return space


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of 60 patents with a space of 5 dimensions."""
    return build_learned(tmp_path_factory.mktemp("spaces"), themed_patents(1, 60), SpacePlan("lsa", 5))


@pytest.fixture
def index(built: Path, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    shutil.copytree(built, tmp_path / "index")
    return tmp_path / "index"


def weighted_rows(index: EmbeddedEngine) -> tuple[list[str], NDArray[np.float64]]:
    """X as its definition says: (1 + log n) · log(N/df) in rows of unit length, and its terms."""
    (_, matrix), *_ = index.matrices("en")
    terms = matrix.all_terms()
    counts = dense_counts(matrix)
    df = (counts > 0).sum(axis=0)
    chosen = np.flatnonzero((df >= 3) & (df < matrix.rows / 2))
    values = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0)[:, chosen] * np.log(matrix.rows / df[chosen])
    return [terms[at] for at in chosen], values / np.linalg.norm(values, axis=1, keepdims=True)


def test_the_vectors_are_those_of_a_singular_value_decomposition(built: Path) -> None:
    index = EmbeddedEngine.open(built)
    terms, rows = weighted_rows(index)
    space = space_of(index)
    assert (space.kind, space.dimensions) == ("lsa", 5)
    u, s, v = np.linalg.svd(rows, full_matrices=False)
    right = u[:, :5] * s[:5]
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    found = space.vectors(0)
    assert np.abs(found @ found.T - right @ right.T).max() < 1e-3
    assert np.abs(np.abs((space.basis.vectors * v[:5].T).sum(axis=0)) - 1).max() < 1e-3
    assert space.basis.find(terms).tolist() == list(range(len(terms)))


def test_a_document_as_query_finds_itself_and_then_its_theme(built: Path) -> None:
    index = EmbeddedEngine.open(built)
    space = searched_space(index)
    vector = space.query_vector(["piston", "cylind"], [3, 1])
    numbers, scores = space.nearest(vector, 10)
    names = index.names(numbers)
    assert [int(name[2:]) % 3 for name in names] == [int("2000000") % 3] * 10
    assert (np.diff(scores) <= 0).all()
    assert np.abs(space.cosines(vector, numbers) - scores).max() < 1e-6
    only = MaskSelection(index, Filters(others=(NamedCondition("one", Fact("number", names[3])),)))
    assert space.nearest(vector, 10, only)[0].tolist() == [numbers[3]]


def test_the_vector_of_a_query_has_unit_length_or_is_zero(built: Path) -> None:
    space = space_of(built)
    assert not space.query_vector(["unknown"], [2]).any()
    assert not space.query_vector([], []).any()
    assert np.linalg.norm(space.query_vector(["valv", "unknown"], [0.5, 1])) == pytest.approx(1)
    assert len(searched_space(EmbeddedEngine.open(built)).nearest(space.query_vector([], []), 5)[0]) == 0
    for wrong in ([1.0, 2.0], [-1.0], [np.nan], [np.inf]):
        with pytest.raises(ValueError, match="a count per term"):
            space.query_vector(["valv"], wrong)


def test_ties_are_broken_by_name_across_segments(tmp_path: Path) -> None:
    same = [{**each, "title": {"en": " ".join(THEMES[at % 3])}} for at, each in enumerate(themed_patents(1, 12))]
    path = build_learned(tmp_path, same[3:], SpacePlan("lsa", 3))
    add_to_index(path, write(tmp_path / "b.jsonl", same[:3]), workers=1)
    index = EmbeddedEngine.open(path)
    space = searched_space(index)
    numbers, scores = space.nearest(space.query_vector(["piston"], [1]), 4)
    assert index.names(numbers) == sorted(each["doc_id"] for each in same[::3])
    assert np.ptp(scores) < 1e-6


@pytest.mark.parametrize("options", [{"workers": 2}, {"memory": 600 * 10**6}])
def test_threads_and_memory_change_no_byte(built: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    build_index(built.parent / "a.jsonl", tmp_path / "index", spaces=[SpacePlan("lsa", 5)], **options)
    assert all_bytes(tmp_path / "index") == all_bytes(built)


def random_blocks(seed: int, rows: int, terms: int) -> Iterator[tuple[Any, Any, Any]]:
    """The rows of a random sparse matrix with 20 values each, in blocks of 100."""
    chance = np.random.default_rng(seed)
    for _ in range(0, rows, 100):
        places = np.concatenate([chance.choice(terms, 20, replace=False) for _ in range(100)])
        yield np.arange(0, 2001, 20), places, chance.random(2000, np.float32)


def test_no_byte_depends_on_the_threads_of_the_linear_algebra_library() -> None:
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, "blas"):
            effort = Effort(1, 10**9, lambda *_: None)
            found.append(leading_vectors(lambda: random_blocks(1, 500, 4000), 500, 4000, 100, effort))
    assert found[0].tobytes() == found[1].tobytes()


def test_dimensions_that_a_matrix_does_not_have_are_left_out() -> None:
    """Twenty rows, each of them five times."""

    def blocks() -> Iterator[tuple[Any, Any, Any]]:
        ptr, places, values = next(random_blocks(2, 100, 300))
        yield ptr, np.tile(places[:400], 5), np.tile(values[:400], 5)

    found = leading_vectors(blocks, 100, 300, 60, Effort(1, 10**9, lambda *_: None))
    assert found.shape == (300, 20)
    assert np.abs(found.T @ found - np.eye(20)).max() < 1e-5


def test_added_documents_are_folded_in_by_the_same_basis(index: Path, tmp_path: Path) -> None:
    before = EmbeddedEngine.open(index).manifest.spaces[0]
    twin = [{**each, "doc_id": f"US{at}1111"} for at, each in enumerate(themed_patents(1, 60)[:4])]
    add_to_index(index, write(tmp_path / "b.jsonl", twin), workers=1)
    opened = EmbeddedEngine.open(index)
    entry, space = opened.manifest.spaces[0], space_of(opened)
    assert entry.files == before.files
    assert entry.segments["s000001"] == before.segments["s000001"]
    assert len(entry.segments) == 2
    assert np.abs(space.vectors(1) - space.vectors(0)[:4]).max() < 1e-6
    assert entry.documents == 60
    assert verify_index(index).ok


def test_merging_one_segment_learns_a_space_again_that_documents_were_folded_into(tmp_path: Path) -> None:
    path = build_learned(tmp_path, themed_patents(1, 9), SpacePlan("lsa", 3))
    add_to_index(path, write(tmp_path / "b.jsonl", themed_patents(2, 20, start=100)), workers=1)
    opened = EmbeddedEngine.open(path)
    assert (len(opened.segments), opened.manifest.spaces[0].documents) == (1, 9)
    merge_index(path, workers=1)
    assert EmbeddedEngine.open(path).manifest.spaces[0].documents == 29


def test_replaced_documents_are_not_found_and_not_learned_from(index: Path, tmp_path: Path) -> None:
    add_to_index(index, write(tmp_path / "b.jsonl", themed_patents(3, 10)), workers=1)
    opened = EmbeddedEngine.open(index)
    space = searched_space(opened)
    numbers, _ = space.nearest(space.query_vector(["piston"], [1]), 100)
    replaced = opened.segments[0].deleted.tolist()
    assert len(replaced) == 10
    assert len(numbers) > 10
    assert not {*numbers.tolist()} & {*replaced}
    learned = learn_lsa(opened, "en", 5, Effort(1, 10**9, lambda *_: None))
    merge_index(index, workers=1)
    again = space_of(index)
    assert learned is not None
    assert np.abs(np.abs((learned.vectors * again.basis.vectors).sum(axis=0)) - 1).max() < 1e-3
    assert learned.weights.tolist() == again.basis.weights.tolist()


def test_documents_of_unknown_language_are_folded_in_where_they_are_searched(tmp_path: Path) -> None:
    unknown = {"doc_id": "EP3", "title": "piston cylinder piston"}
    path = build_learned(tmp_path, [*themed_patents(1, 30), unknown], SpacePlan("lsa", 3))
    index = EmbeddedEngine.open(path)
    assert "" in index.languages
    vector = space_of(index).query_vector(["piston", "cylind"], [2, 1])
    assert [space_of(index).vectors(at).shape for at in (0, 1)] == [(30, 3), (1, 3)]
    assert searched_space(index).cosines(vector, index.numbers(["EP3"])) == pytest.approx(1, abs=1e-5)
    assert verify_index(path).ok


def test_a_language_with_too_few_documents_has_no_space(tmp_path: Path) -> None:
    path = build_learned(tmp_path, [*themed_patents(1, 30), *themed_patents(2, 2, start=50, language="de")])
    learned = learn_space(path, SpacePlan("lsa", 500), workers=1)
    assert [each.language for each in learned.spaces] == ["en"]
    assert learned.spaces[0].dimensions <= 15
    assert learned.spaces[0].parameters["dimensions"] == 500
    assert EmbeddedEngine.open(tmp_path / "index").space("de", "lsa") is None


def test_vectors_that_are_not_those_of_the_documents_are_found_by_verify(index: Path) -> None:
    path = index / "segments" / EmbeddedEngine.open(index).manifest.spaces[0].vectors_path("s000001")
    vectors = np.frombuffer(path.read_bytes(), "<f4").reshape(60, 5)
    path.write_bytes(vectors[::-1].tobytes())
    seal(index)
    (problem,) = verify_index(index).problems
    assert problem.endswith("row 0 is not the vector of its document")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3.0e38])
@pytest.mark.parametrize("name", ["weights.f32", "basis.f32", "vectors"])
def test_numbers_that_cannot_be_are_refused(index: Path, name: str, value: float) -> None:
    entry = EmbeddedEngine.open(index).manifest.spaces[0]
    inside = entry.vectors_path("s000001") if name == "vectors" else f"{entry.folder}/{name}"
    path = index / "segments" / inside
    numbers = np.frombuffer(path.read_bytes(), "<f4").copy()
    numbers[7] = value
    path.write_bytes(numbers.tobytes())
    seal(index)
    space = space_of(index)
    with np.errstate(all="ignore"), pytest.raises(InputError, match=path.name):
        space.vectors(0) @ space.query_vector(["valv"], [1])


def test_a_missing_space_is_named_when_it_is_used_and_learned_again(index: Path) -> None:
    shutil.rmtree(index / "segments" / "space-000001")
    opened = EmbeddedEngine.open(index)
    assert opened.patent("EP2000000").doc_id == "EP2000000"
    space = space_of(opened)
    with pytest.raises(InputError, match="space-000001: cannot be read"):
        space.query_vector(["valv"], [1])
    assert not verify_index(index).ok
    learn_space(index, SpacePlan("lsa", 5), workers=1)
    assert verify_index(index).ok
    again = space_of(index)
    assert again.query_vector(["valv"], [1]).any()


def test_a_reader_keeps_its_space_while_another_is_learned(index: Path) -> None:
    opened = EmbeddedEngine.open(index)
    learn_space(index, SpacePlan("lsa", 2), workers=1)
    space = space_of(opened)
    assert space.query_vector(["valv"], [1]).shape == (5,)
    assert len(space.vectors(0)) == 60
    later = space_of(index)
    assert later.dimensions == 2


def test_too_little_memory_is_refused_in_one_line(built: Path) -> None:
    with pytest.raises(UsageError, match=r"take 315MB: give memory=315000000, or fewer dimensions="):
        learn_lsa(EmbeddedEngine.open(built), "en", 5, Effort(1, 10**8, lambda *_: None))
    learning.check_pairs(10**5, 512 * 10**6)
    with pytest.raises(
        UsageError, match=r"pairs of terms in 1000000000 tokens take up to 986MB: give memory=986000000"
    ):
        learning.check_pairs(10**9, 512 * 10**6)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (("glove",), "there is no space called 'glove'; there are lsa, words, dense"),
        (("lsa", 0), "dimensions must be 1 to 4096, not 0"),
        (("lsa", 5000), "dimensions must be 1 to 4096, not 5000"),
        (("dense",), "needs the folder of a model"),
        (("lsa", 300, "model"), "is learned without a model"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(plan: tuple[Any, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SpacePlan(*plan)


def test_the_verb_learns_and_info_shows(built: Path, tmp_path: Path, program: Callable[..., Any]) -> None:
    shutil.copytree(built, tmp_path / "index")
    done = program("learn", "space", tmp_path / "index", "--dimensions", 4, "--json", "-q")
    assert done.code == 0, done.err
    found = json.loads(done.out)["spaces"]
    assert found == describe_index(EmbeddedEngine.open(tmp_path / "index"))["spaces"]
    assert [(each["kind"], each["language"], each["dimensions"], each["learned_from"]) for each in found] == [
        ("lsa", "en", 4, 60)
    ]
    assert "lsa    en" in program("info", tmp_path / "index").out
    assert program("learn", "space", tmp_path / "index", "--kind", "glove").code == 2


# Word vectors


def test_pairs_are_counted_and_the_rarest_dropped_when_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(4)  # noqa: S311
    contexts = [chance.sample(range(200), chance.choice([0, 1, 2, 5, 29, 30, 31, 45])) for _ in range(300)]
    wanted: Counter[tuple[int, int]] = Counter()
    for context in contexts:
        for first in range(0, len(context), 30):
            wanted.update(combinations(sorted(context[first : first + 30]), 2))
    ptr = np.cumsum([0, *map(len, contexts)])
    places = np.array([term for context in contexts for term in context])
    counted = learning.PairCounts(200)
    counted.add(ptr, places)
    begins, other, counts = counted.table()
    row = np.repeat(np.arange(200), np.diff(begins))
    assert len(other) == 2 * len(wanted)
    assert {(a, b): n for a, b, n in zip(row.tolist(), other.tolist(), counts.tolist(), strict=True) if a < b} == wanted
    monkeypatch.setattr(learning, "MAX_PAIRS", 2**12)
    scarce = learning.PairCounts(200)
    scarce.add(ptr, places)
    assert 0 < scarce.counts.nnz <= 2**11
    common = scarce.table()
    assert len(common[1]) < len(other)
    assert common[2].max() == max(wanted.values())


def test_word_vectors_are_those_of_the_information_matrix(tmp_path: Path) -> None:
    texts = [each["title"]["en"] for each in themed_patents(1, 60)]
    index = EmbeddedEngine.open(build_learned(tmp_path, themed_patents(1, 60), SpacePlan("words", 4)))
    space = space_of(index, "words")
    analyzer = index.analyzer("en")
    names = space.basis.terms.texts()
    has = np.array([[name in analyzer.terms(text) for name in names] for text in texts], float)
    counts = has.T @ has
    np.fill_diagonal(counts, 0)
    smooth = counts.sum(axis=0) ** 0.75
    with np.errstate(divide="ignore"):
        information = np.log(counts / counts.sum(axis=1, keepdims=True) / (smooth / smooth.sum()))
    left, _, _ = np.linalg.svd(np.maximum(information, 0))
    cosines = np.linalg.svd(left[:, :4].T @ space.basis.vectors, compute_uv=False)
    assert cosines.min() > 0.99
    found = space.vectors(0)
    assert np.abs(np.linalg.norm(found, axis=1) - 1).max() < 1e-5
    _, direction = space.basis.shift
    assert np.linalg.norm(direction) == pytest.approx(1, abs=1e-5)
    assert np.abs(found @ direction).max() < 1e-5
    assert not space.query_vector(["unknown"], [1]).any()
    numbers, _ = searched_space(index, "words").nearest(space.query_vector(["piston", "cylind"], [2, 1]), 10)
    themes = [int(name[2:]) % 3 for name in index.names(numbers)]
    assert themes.count(2000000 % 3) > 6


def test_both_kinds_are_learned_extended_and_learned_anew_together(tmp_path: Path) -> None:
    plans = [SpacePlan("words", 4), SpacePlan("lsa", 3)]
    first, more = themed_patents(1, 30), themed_patents(2, 5, start=100)
    folder = build_learned(tmp_path, first, *plans)
    add_to_index(folder, write(tmp_path / "b.jsonl", more), workers=1)
    opened = EmbeddedEngine.open(folder)
    assert [(each.kind, len(each.segments)) for each in opened.manifest.spaces] == [("lsa", 2), ("words", 2)]
    assert verify_index(folder).ok
    learn_space(folder, SpacePlan("lsa", 2), workers=1)
    assert [(each.kind, each.dimensions) for each in EmbeddedEngine.open(folder).manifest.spaces] == [
        ("lsa", 2),
        ("words", 4),
    ]
    learn_space(folder, SpacePlan("lsa", 3), workers=1)
    merge_index(folder, workers=1)
    whole = build_learned(tmp_path / "whole", [*first, *more], *plans, workers=2)
    merged, single = (EmbeddedEngine.open(path).manifest.spaces for path in (folder, whole))
    for one, other in zip(merged, single, strict=True):
        assert (one.documents, one.files) == (other.documents, other.files)
        assert [each.file for each in one.segments.values()] == [each.file for each in other.segments.values()]
    assert verify_index(folder).ok
    before = all_bytes(folder)
    merge_index(folder, workers=1)
    assert all_bytes(folder) == before
