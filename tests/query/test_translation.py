"""Term translations: the estimates worked out by hand, files that cannot be, and searches across languages."""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import re
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import zstandard

from antecede.corpus import Collection
from antecede.errors import InputError
from antecede.index import add_to_index, build_index, merge_index, verify_index
from antecede.index.maintain import store_translation
from antecede.patent import Patent
from antecede.query import translation
from antecede.query.query import Query
from antecede.query.translation import (
    MAGIC,
    TermTranslations,
    TranslatedStatistics,
    Translations,
    align_claims,
    estimate,
    learn_translations,
    parse_translations,
    read_dictionary,
    read_translations,
    translate_query,
)
from antecede.search import open_index
from antecede.text import Analyzer, load_profile
from tests.cli.conftest import program
from tests.conftest import ROOT
from tests.index.worlds import write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["program"]

DATA = Path(os.environ.get("ANTECEDE_DATA", ROOT.parent / "shared" / "data"))
WORDS = {
    "valve": "Ventil", "pump": "Pumpe", "housing": "Gehäuse", "spring": "Feder", "shaft": "Welle", "bearing": "Lager",
    "signal": "Signal", "antenna": "Antenne", "circuit": "Schaltung", "voltage": "Spannung", "sensor": "Sensor",
}  # fmt: skip


def claims_of(chance: random.Random, themes: Sequence[str]) -> dict[str, list[str]]:
    """Three claims in English, and the same in German, in another order of words."""
    chosen = [chance.choices(themes, k=4) for _ in range(3)]
    return {
        "en": [" ".join(each) for each in chosen],
        "de": [" ".join(WORDS[word] for word in reversed(each)) for each in chosen],
    }


def specifications(size: int) -> list[dict[str, Any]]:
    """Patents with claims in English and German."""
    chance = random.Random(2)  # noqa: S311 - nothing secret
    themes = list(WORDS)
    return [
        {
            "doc_id": f"EP{3000000 + at}",
            "language": "en",
            "claims": claims_of(chance, themes[:6] if at % 2 else themes[6:]),
        }
        for at in range(size)
    ]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table learned from 40 patents."""
    folder = tmp_path_factory.mktemp("table")
    write(folder / "claims.jsonl", specifications(40))
    learn_translations(Collection(folder / "claims.jsonl").patents()).write(folder / "table")
    return folder / "table"


def naive(pairs: list[tuple[Counter[str], Counter[str]]], iterations: int) -> dict[tuple[str, str], float]:
    """IBM model 1 as it is written in the books, with the empty term."""
    t = {(e, f): 1.0 for left, right in pairs for e in [*left, ""] for f in right}
    for _ in range(iterations):
        counts = dict.fromkeys(t, 0.0)
        for left, right in pairs:
            whole = Counter({**left, "": 1})
            for f, n in right.items():
                total = sum(m * t[e, f] for e, m in whole.items())
                for e, m in whole.items():
                    counts[e, f] += n * m * t[e, f] / total
        sums: dict[str, float] = defaultdict(float)
        for (e, _), count in counts.items():
            sums[e] += count
        t = {(e, f): count / sums[e] for (e, f), count in counts.items()}
    return t


def estimated(pairs: list[tuple[Counter[str], Counter[str]]]) -> dict[tuple[str, str], float]:
    left = {e: at for at, e in enumerate(sorted({e for pair in pairs for e in pair[0]}))}
    right = {f: at for at, f in enumerate(sorted({f for pair in pairs for f in pair[1]}))}
    keys, found = estimate([e for e, _ in pairs], [f for _, f in pairs], left, right)
    sources, targets = [*left, ""], [*right]
    return {
        (sources[key // len(targets)], targets[key % len(targets)]): value
        for key, value in zip(keys.tolist(), found.tolist(), strict=True)
    }


def test_one_step_worked_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claims a b ↔ x y and a ↔ x. x is shared by a, b and the empty term: 1/3 each; in the second claim 1/2 each."""
    monkeypatch.setattr(translation, "ITERATIONS", 1)
    found = estimated([(Counter("ab"), Counter("xy")), (Counter("a"), Counter("x"))])
    assert found == pytest.approx(
        {("a", "x"): 5 / 7, ("a", "y"): 2 / 7, ("b", "x"): 0.5, ("b", "y"): 0.5, ("", "x"): 5 / 7, ("", "y"): 2 / 7}
    )


def test_the_estimates_are_those_of_the_textbook_and_sum_to_one() -> None:
    chance = random.Random(3)  # noqa: S311
    pairs = [
        (
            Counter(chance.choices("abcdefg", k=chance.randint(1, 9))),
            Counter(chance.choices("uvwxyz", k=chance.randint(1, 9))),
        )
        for _ in range(25)
    ]
    found, wanted = estimated(pairs), naive(pairs, translation.ITERATIONS)
    assert found.keys() == wanted.keys()
    assert found == pytest.approx(wanted, abs=1e-9)
    sums: dict[str, float] = defaultdict(float)
    for (e, _), value in found.items():
        sums[e] += value
    assert list(sums.values()) == pytest.approx([1] * len(sums))


def test_claims_are_aligned_one_by_one_or_together() -> None:
    assert align_claims(["a", "b"], ["x", "y"]) == [("a", "x"), ("b", "y")]
    assert align_claims(["a", "b"], ["x", "y", "z"]) == [("a\nb", "x\ny\nz")]
    assert align_claims(["a"], []) == []


def test_translations_are_learned_in_both_directions(table: Path) -> None:
    found = read_translations(table)
    assert set(found.directions) == {("de", "en"), ("en", "de")}
    assert {each.claims for each in found.directions.values()} == {120}
    assert [found.of(term, "en", "de")[0][0] for term in ("valv", "spring", "signal")] == ["ventil", "fed", "signal"]
    assert found.of("ventil", "de", "en")[0][0] == "valv"
    assert found.of("valv", "en", "fr") == ()
    for direction in found.directions.values():
        for entries in direction.terms.values():
            assert sum(p for _, p in entries) == pytest.approx(1)
            assert [p for _, p in entries] == sorted((p for _, p in entries), reverse=True)


def test_claims_are_limited_or_thinned_out_and_needed_in_two_languages(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = table.parent / "claims.jsonl"
    found = learn_translations(Collection(claims).patents(), claims=30)
    assert {each.claims for each in found.directions.values()} == {30}
    monkeypatch.setattr(translation, "MAX_COMBINATIONS", 500)
    found = learn_translations(Collection(claims).patents())
    assert {each.claims for each in found.directions.values()} < {*range(10, 61)}
    with pytest.raises(InputError, match="no translation could be learned"):
        learn_translations([Patent("EP1", claims={"en": ("a valve",)})])


def test_a_query_is_translated_with_its_weights() -> None:
    entries = {"a": (("x", 0.75), ("y", 0.25)), "b": (("y", 1.0),)}
    found = Translations("default", {("en", "de"): TermTranslations(1, entries)})
    query = Query.from_terms({"a": 4.0, "b": 1.0, "zeta": 2.0, "none": 9.0}, "en", "logtfidf", topic="EP1")
    made = translate_query(query, found, "de", lambda terms: [term == "zeta" for term in terms], 75)
    assert made is not None
    assert (made.language, made.method, made.topic) == ("de", "logtfidf", "EP1")
    assert dict(zip(made.terms, made.weights.tolist(), strict=True)) == {"x": 3.0, "y": 2.0, "zeta": 2.0}
    shorter = translate_query(query, found, "de", lambda terms: [False] * len(terms), 1)
    assert shorter is not None
    assert shorter.terms == ("x",)
    assert translate_query(Query.from_terms({"none": 1.0}, "en"), found, "de", lambda _: [True], 9) is None


def repack(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """A table whose content was changed, with the right checksum."""
    whole = json.loads(zstandard.ZstdDecompressor().decompress(data[len(MAGIC) + 65 :]))
    change(whole)
    packed = zstandard.ZstdCompressor().compress(json.dumps(whole).encode())
    return MAGIC + hashlib.sha256(packed).hexdigest().encode() + b"\n" + packed


def set_first(whole: dict[str, Any], entries: Any) -> None:
    terms = whole["directions"][0]["terms"]
    terms[next(iter(terms))] = entries


@pytest.mark.parametrize(
    "change",
    [
        lambda whole: whole.pop("profile"),
        lambda whole: whole.update(more=1),
        lambda whole: whole["directions"].append(whole["directions"][0]),
        lambda whole: set_first(whole, []),
        lambda whole: set_first(whole, [[10**9, 10**6]]),
        lambda whole: set_first(whole, [[0]]),
    ],
)
def test_a_table_that_cannot_be_is_refused_in_one_line(table: Path, change: Callable[[dict[str, Any]], None]) -> None:
    with pytest.raises(InputError, match=r"^table: is not a table of translations") as error:
        parse_translations(repack(table.read_bytes(), change), "table")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not a table"),
        (b"{}", "is not a table"),
        (b"antecede translation 2\nabc", "of another version"),
        (MAGIC, "checksum"),
        (MAGIC + hashlib.sha256(b"").hexdigest().encode() + b"\n", "is not a table"),
        (MAGIC + hashlib.sha256(b"abc").hexdigest().encode() + b"\nabc", "is not a table"),
    ],
)
def test_other_files_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_translations(data, "table")


def test_a_bomb_is_not_unpacked() -> None:
    packed = zstandard.ZstdCompressor().compress(bytes(translation.MAX_BYTES + 1))
    with pytest.raises(InputError, match="its size"):
        parse_translations(MAGIC + hashlib.sha256(packed).hexdigest().encode() + b"\n" + packed, "table")


# Searching


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """English and German patents; no German word is English."""
    english = [
        {"doc_id": f"EP{at}", "language": "en", "title": {"en": f"{word} {word} housing"}}
        for at, word in enumerate(WORDS, 1)
    ]
    german = [
        {"doc_id": f"DE{at}", "language": "de", "title": {"de": f"{word} {word}"}}
        for at, word in enumerate(WORDS.values(), 1)
    ]
    build_index(write(tmp_path / "a.jsonl", [*english, *german]), tmp_path / "index", workers=1)
    return tmp_path / "index"


TOPIC = Patent("EP999", language="en", title={"en": "pump with a spring"}, abstract={"en": "a pump has a pump spring"})


def test_a_topic_finds_documents_in_a_language_it_has_no_text_in(index: Path, table: Path) -> None:
    without = open_index(index).search(TOPIC, language="all")
    assert {hit.doc_id[:2] for hit in without.hits} == {"EP"}
    found = open_index(index).search(TOPIC, language="all", translation=str(table))
    assert {hit.doc_id for hit in found.hits[:4]} == {"EP2", "EP4", "DE2", "DE4"}
    assert any(note.startswith("searched in de too: 2 of 2 terms translated from en") for note in found.notes)
    assert found.coverage.unsearched == 0
    text = open_index(index).search("pump spring", language="all", translation=str(table))
    assert {"DE2", "DE4", "EP2", "EP4"} == {hit.doc_id for hit in text.hits}
    one = open_index(index).search(TOPIC, translation=str(table))
    assert {hit.doc_id[:2] for hit in one.hits} == {"EP"}


def test_a_table_stored_with_the_index_is_used_and_survives_maintenance(
    index: Path, table: Path, tmp_path: Path
) -> None:
    reader = open_index(index)
    store_translation(index, table.read_bytes())
    assert reader.translation is None
    assert open_index(index).translation == table.read_bytes()
    add_to_index(
        index, write(tmp_path / "b.jsonl", [{"doc_id": "DE77", "title": {"de": "Pumpe Pumpe Pumpe"}}]), workers=1
    )
    merge_index(index, workers=1)
    assert verify_index(index).ok
    opened = open_index(index)
    assert "DE77" in {hit.doc_id for hit in opened.search(TOPIC, language="all").hits}
    store_translation(index, table.read_bytes())
    assert opened.translation == table.read_bytes()
    assert len([*(index / "segments").glob("translation-*")]) == 1


def test_a_damaged_stored_table_concerns_only_who_uses_it(index: Path, table: Path) -> None:
    store_translation(index, table.read_bytes())
    (path,) = (index / "segments").glob("translation-*")
    path.write_bytes(path.read_bytes()[:-1])
    assert open_index(index).search(TOPIC).hits
    with pytest.raises(InputError, match=path.name):
        open_index(index).search(TOPIC, language="all")
    assert path.name in verify_index(index).problems[0]
    path.unlink()
    with pytest.raises(InputError, match=path.name):
        open_index(index).search(TOPIC, language="all")
    assert not verify_index(index).ok


@pytest.fixture
def english(tmp_path: Path) -> Path:
    """Patents in English alone."""
    rows = [
        {"doc_id": f"EP{at}", "language": "en", "title": {"en": f"{word} {word} housing"}}
        for at, word in enumerate(WORDS, 1)
    ]
    build_index(write(tmp_path / "e.jsonl", rows), tmp_path / "english", workers=1)
    return tmp_path / "english"


GERMAN = Patent(
    "DE999",
    language="de",
    title={"de": "Pumpe mit Feder", "en": "A thing"},
    claims={"de": ("1. Pumpe mit einer Feder, wobei die Pumpe Mitnehmer hat.",)},
)


def test_a_german_application_is_searched_in_an_english_collection(english: Path, table: Path) -> None:
    index = open_index(english)
    with pytest.raises(InputError, match=r"is in de, the index has en.*give a table of translations between them"):
        index.search(replace(GERMAN, title={"de": "Pumpe"}))
    for ranking in ("auto", "classic"):
        hits = index.search(replace(GERMAN, title={"de": "Pumpe"}), translation=str(table), ranking=ranking).hits
        assert [hit.doc_id for hit in hits[:2]] == ["EP2", "EP4"]
    titled = index.search(GERMAN, translation=str(table))  # the title in English is no text: its claims are translated
    assert {"EP2", "EP4"} <= {hit.doc_id for hit in titled.hits}
    assert any("translated from de" in note for note in titled.notes)


def test_terms_are_weighted_by_how_often_their_translations_occur(english: Path, table: Path) -> None:
    index, learned = open_index(english), read_translations(table)
    statistics = index.statistics("en")
    translated = TranslatedStatistics(statistics, learned, "de", "en")
    pump, spring, unknown = (Analyzer("de").term(word) or "" for word in ("Pumpe", "Feder", "Housing"))
    own = statistics.frequencies(["pump", "hous"])
    frequencies = translated.frequencies([pump, unknown, "xyzxyz"])
    expected = sum(chance * often for (_, chance), often in zip(
        learned.of(pump, "de", "en"),
        statistics.frequencies([word for word, _ in learned.of(pump, "de", "en")]).documents.tolist(),
        strict=True,
    ))  # fmt: skip
    assert frequencies.documents[0] == math.ceil(expected) >= own.documents[0] > 0
    assert frequencies.documents[2] == 0
    assert (translated.documents, translated.tokens) == (statistics.documents, statistics.tokens)
    assert spring != pump


def test_the_translated_query_is_shown_with_the_words_it_comes_from(
    english: Path, table: Path, tmp_path: Path, program: Callable[..., Any]
) -> None:
    topic = write(tmp_path / "topic.jsonl", [{"doc_id": "DE999", "language": "de",
                                              "claims": {"de": ["Pumpe mit einer Feder"]}}])  # fmt: skip
    done = program("query", english, topic, "--translation", table, "--json")
    terms = {each["term"]: each for each in json.loads(done.out)["terms"]}
    assert (terms["pump"]["from"], terms["spring"]["from"]) == ("Pumpe", "Feder")
    assert 0.5 < terms["pump"]["probability"] <= 1
    assert "probability" in program("query", english, topic, "--translation", table).out


def test_a_dictionary_takes_the_place_of_the_table(english: Path, table: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("from;to;word;translation\nde;en;Pumpe;antenna\nde;en;Mitnehmer;shaft\n\n")
    index = open_index(english)
    hits = index.search(GERMAN, translation=str(table), dictionary=str(own), language="en").hits
    names = [hit.doc_id for hit in hits]
    assert names[0] == "EP8"
    assert "EP5" in names  # the shaft
    assert "EP2" not in names
    assert {hit.doc_id for hit in index.search(replace(GERMAN, title={}), dictionary=str(own)).hits} == {"EP5", "EP8"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no column 'from'; its first line is from,to,word,translation"),
        ("from,to,word\n", "has no column 'translation'"),
        ("from,to,word,translation\nde,en,Pumpe\n", "line 2 has 3 cells, not 4"),
        ("from,to,word,translation\nde,de,Pumpe,pump\n", "line 2: 'de' to 'de' is no pair of languages"),
        ("from,to,word,translation\nde,en,heat pump,Pumpe\n", "line 2: 'heat pump' is several words"),
        ("from,to,word,translation\nde,en,Pumpe,42\n", "line 2: '42' has no word to search for"),
        ('from,to,word,translation\nde,en,"Pumpe,pump\n', "line 2"),
    ],
)
def test_a_dictionary_that_cannot_be_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(message)) as refused:
        read_dictionary(path, load_profile())
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)


def test_a_document_has_one_score_over_its_texts(tmp_path: Path, table: Path) -> None:
    """Titles in the other language give a document no place in the list of that language beside its own."""
    words = [*WORDS]
    rows = [
        {
            "doc_id": f"EP{at}",
            "language": "en",
            "title": {"en": word, "de": WORDS[words[-at]]},
            "description": {"en": f"{word} {word} {words[at - 2]} " * 20},
        }
        for at, word in enumerate(words, 1)
    ]
    build_index(write(tmp_path / "t.jsonl", rows), tmp_path / "titles", workers=1)
    index = open_index(tmp_path / "titles")
    topic = Patent("X1", language="en", description={"en": "pump spring pump housing " * 30})
    alone = [hit.doc_id for hit in index.search(topic, language="en").hits]
    both = [hit.doc_id for hit in index.search(topic, language="all", translation=str(table)).hits]
    assert both[:3] == alone[:3]


def test_a_table_of_another_profile_is_refused(index: Path, table: Path, tmp_path: Path) -> None:
    learn_translations(Collection(table.parent / "claims.jsonl").patents(), profile="published").write(
        tmp_path / "other"
    )
    with pytest.raises(InputError, match="profile 'published', those of the index with 'default'"):
        open_index(index).search(TOPIC, language="all", translation=str(tmp_path / "other"))


# The verb


def test_the_verb_learns_and_shows(table: Path, index: Path, tmp_path: Path, program: Callable[..., Any]) -> None:
    claims = table.parent / "claims.jsonl"
    done = program("learn", "translations", claims, "--out", tmp_path / "table", "--into", index, "--json", "-q")
    assert done.code == 0, done.err
    assert {(each["source"], each["claims"]) for each in json.loads(done.out)["directions"]} == {
        ("de", 120),
        ("en", 120),
    }
    assert (tmp_path / "table").read_bytes() == table.read_bytes() == open_index(index).translation
    for where in (tmp_path / "table", index):
        shown = json.loads(program("learn", "translations", where, "--show", "valves,Ventil", "--json").out)
        assert [(each["from"], each["translations"][0]["term"]) for each in shown] == [("en", "ventil"), ("de", "valv")]
    assert "ventil" in program("learn", "translations", index, "--show", "valve").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("{claims}",), "say where the table goes"),
        (("{claims}", "--out", "{claims}"), "claims.jsonl"),
        (("{index}", "{claims}", "--out", "{new}"), "is an index: learn from it alone"),
        (("{index}", "--out", "{new}"), "no translation could be learned"),
        (("{claims}", "--into", "{index}", "--profile", "published"), "built with the profile 'default'"),
        (("{claims}", "--into", "{new}"), "there is no such index"),
        (("{claims}", "--show", "valve"), "is not a table of translations"),
        (("{index}", "--show", "valve"), "has no table of translations"),
        (("{table}", "--show", ""), "name words"),
        (("{table}", "--show", "unheard"), "has no translation of unheard"),
        (("{table}", "--show", "valve", "--out", "{new}"), "do not go with --show"),
        (("{table}", "{table}", "--show", "valve"), "one table"),
    ],
)
def test_a_wrong_call_is_one_line(
    table: Path, index: Path, tmp_path: Path, program: Callable[..., Any], words: Sequence[str], message: str
) -> None:
    known = {"claims": table.parent / "claims.jsonl", "index": index, "table": table, "new": tmp_path / "new"}
    done = program("learn", "translations", *(word.format(**known) for word in words), "-q")
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "formats").is_dir(), reason="the shared data is not there")
def test_real_specifications_teach_real_words() -> None:
    folders = [DATA / "formats" / name for name in ("epo-fulltext", "marec-clefip", "marec-original")]
    found = learn_translations(Collection(*folders).patents())
    assert set(found.directions) == {(a, b) for a in ("de", "en", "fr") for b in ("de", "en", "fr") if a != b}
    assert found.of("method", "en", "de")[0][0] == "verfahr"
    assert found.of("devic", "en", "fr")[0][0] == "disposit"
    assert np.all([each.claims > 100 for each in found.directions.values()])
