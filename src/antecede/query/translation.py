"""A table of term translations, learned from claims that a patent has in several languages.

European patent specifications carry their claims in English, French and German. Claim i in one language is aligned with
claim i in the other where both have as many claims; otherwise all claims together are aligned. IBM model 1 gives the
probability that a term e of one language is translated by a term f of the other:

    c(f, e) = Σ_pairs n(f) · n(e) · t(f|e) / Σ_e' n(e') · t(f|e'),   t(f|e) = c(f, e) / Σ_f c(f, e),

repeated from equal probabilities; n are the frequencies within a claim, and each claim has an empty term besides its
own, which takes what has no counterpart.

    Brown, Della Pietra, Della Pietra, Mercer: The mathematics of statistical machine translation, Computational
    Linguistics 19(2), 1993.

Improbable translations are dropped and the others scaled so that the probabilities of a term sum to 1. A query is
translated term by term, its weights shared out by these probabilities (Darwish and Oard, SIGIR 2003).
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import zstandard
from typing_extensions import TypedDict

from antecede.arrays import pointers_from_sizes
from antecede.corpus.language import language_code
from antecede.engine import Frequencies
from antecede.errors import InputError, UsageError, printable
from antecede.files import read_regular, write_whole
from antecede.kernels import kernel
from antecede.operations import Help
from antecede.query.query import Query
from antecede.ranges import COUNT
from antecede.text.analyzer import Analyzer
from antecede.text.profiles import load_profile
from antecede.validation import Count, FieldError, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from antecede.arrays import Floats, Ints
    from antecede.engine import Statistics
    from antecede.patent import Patent
    from antecede.query.query import Origin
    from antecede.text.profiles import Profile, ProfileName


MAGIC = b"antecede translation 1\n"
"""The first line of a file: what it is, and the version of its format."""
_DIGEST = 64
MAX_BYTES = 256 << 20
"""Bytes that a table may have when it is unpacked."""
ITERATIONS = 8
_MIN_PROBABILITY = 0.02
_MAX_TRANSLATIONS = 8
"""Translations that are kept of a term."""
_MIN_CLAIMS = 2
"""Claims that a term must be in, on either side."""
MAX_COMBINATIONS = 20_000_000
"""Combinations of terms, summed over claims, that are held in memory; beyond it every n-th claim is taken."""
_UNIT = 1_000_000
"""Probabilities are stored as parts of a million."""
_REMEDY = "learn it again with `antecede learn translations`"


@dataclass(frozen=True, eq=False)
class TermTranslations:
    """The translations of the terms of one language into another."""

    claims: int
    """How many parallel claims they were learned from."""
    terms: dict[str, tuple[tuple[str, float], ...]]
    """Term → its translations with their probabilities, which sum to 1; the most probable first."""


@dataclass(frozen=True, eq=False)
class Translations:
    """A table of translations, for each pair of languages."""

    profile: str
    """How words became terms."""
    directions: dict[tuple[str, str], TermTranslations] = field(default_factory=dict)

    def of(self, term: str, source: str, target: str) -> tuple[tuple[str, float], ...]:
        """The translations of a term with their probabilities, the most probable first; nothing if it has none."""
        direction = self.directions.get((source, target))
        return direction.terms.get(term, ()) if direction is not None else ()

    def to_bytes(self) -> bytes:
        plain = {
            "profile": self.profile,
            "directions": [_plain_direction(*pair, direction) for pair, direction in sorted(self.directions.items())],
        }
        content = json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()
        packed = zstandard.ZstdCompressor(level=10, write_checksum=False).compress(content)
        return MAGIC + hashlib.sha256(packed).hexdigest().encode() + b"\n" + packed

    def write(self, path: str | Path) -> None:
        """Write the table to a file, whole or not at all."""
        write_whole(path, self.to_bytes())


def _plain_direction(source: str, target: str, direction: TermTranslations) -> dict[str, Any]:
    """One direction in a JSON-compatible form; translations refer to a list of words."""
    words = sorted({word for translations in direction.terms.values() for word, _ in translations})
    place = {word: at for at, word in enumerate(words)}
    terms = {
        term: [[place[word], round(probability * _UNIT)] for word, probability in translations]
        for term, translations in sorted(direction.terms.items())
    }
    return {"source": source, "target": target, "claims": direction.claims, "words": words, "terms": terms}


def read_translations(path: str | Path) -> Translations:
    """Read a table from its file; anything else is refused in one line."""
    try:
        data = read_regular(Path(path))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path)) from None
    return parse_translations(data, str(path))


class _Direction(TypedDict):
    source: str
    target: str
    claims: Count
    words: list[str]
    terms: dict[str, list[tuple[Count, Count]]]
    """Term → the places of its translations among the words, and their probabilities in parts of `UNIT`."""


class _Table(TypedDict):
    profile: str
    directions: list[_Direction]


def parse_translations(data: bytes, source: str) -> Translations:
    """The table that bytes hold, every number of it checked."""
    if not data.startswith(MAGIC):
        known = data.startswith(MAGIC[: MAGIC.rindex(b" ")])
        what = "is a table of translations of another version" if known else "is not a table of translations"
        raise InputError(what, source=source, remedy=_REMEDY)
    digest, packed = data[len(MAGIC) : len(MAGIC) + _DIGEST], data[len(MAGIC) + _DIGEST + 1 :]
    if hashlib.sha256(packed).hexdigest().encode() != digest:
        raise InputError("is damaged: its checksum does not match", source=source, remedy=_REMEDY)
    try:
        if not 0 < zstandard.frame_content_size(packed) <= MAX_BYTES:
            raise FieldError("its size is not that of a table")
        table = parse(_Table, zstandard.ZstdDecompressor().decompress(packed))
        directions = dict(map(_restore_direction, table["directions"]))
        if len(directions) < len(table["directions"]):
            raise FieldError("has a pair of languages twice", "directions")
    except (ValueError, RecursionError, zstandard.ZstdError) as error:
        raise InputError(
            f"is not a table of translations: {printable(str(error))}", source=source, remedy=_REMEDY
        ) from None
    return Translations(table["profile"], directions)


def _restore_direction(plain: _Direction) -> tuple[tuple[str, str], TermTranslations]:
    words, terms = plain["words"], {}
    for term, pairs in plain["terms"].items():
        total = sum(parts for _, parts in pairs)
        if not total or any(place >= len(words) for place, _ in pairs):
            raise FieldError("has translations that cannot be", "terms", term)
        terms[term] = tuple((words[place], parts / total) for place, parts in pairs)
    return (plain["source"], plain["target"]), TermTranslations(plain["claims"], terms)


# A dictionary of a user

_COLUMNS = ("from", "to", "word", "translation")
MAX_DICTIONARY_BYTES = 64 << 20


def read_dictionary(path: str | Path, profile: Profile) -> Translations:
    """The table of a user's own translations: a CSV file with the columns from, to, word and translation.

    A word with several rows has each translation with the same probability; a translation of several words is shared
    out among them.
    """
    source = str(path)
    try:
        data = read_regular(Path(path))
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=source) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", source=source, remedy="save it as CSV in UTF-8") from None
    if len(data) > MAX_DICTIONARY_BYTES:
        raise InputError(f"is larger than {MAX_DICTIONARY_BYTES >> 20} MB", source=source)
    analyzer = cache(lambda language: Analyzer(language, profile))
    shares: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for line, (from_language, to_language, word, translation) in _dictionary_rows(text, source):
        terms, words = analyzer(from_language).terms(word), analyzer(to_language).terms(translation)
        if len(terms) != 1 or not words:
            what = "has no word to search for" if not terms or not words else "is several words; translate each alone"
            written = word if len(terms) != 1 else translation
            raise InputError(f"line {line}: {printable(written)!r} {what}", source=source)
        own = shares.setdefault((from_language, to_language), {}).setdefault(terms[0], {})
        for term in words:
            own[term] = own.get(term, 0.0) + 1 / len(words)
    directions = {
        pair: TermTranslations(0, {term: _as_probabilities(own) for term, own in terms_of.items()})
        for pair, terms_of in shares.items()
    }
    return Translations(profile.name, directions)


def _dictionary_rows(text: str, source: str) -> Iterator[tuple[int, tuple[str, str, str, str]]]:
    """The rows with the number of the line on which each ends; a blank one is skipped."""
    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    rows = csv.reader(io.StringIO(text), delimiter=separator)
    try:
        names = [name.strip().lower() for name in next(rows, [])]
        if missing := [name for name in _COLUMNS if name not in names]:
            raise InputError(
                f"has no column {missing[0]!r}", source=source, remedy=f"its first line is {','.join(_COLUMNS)}"
            )
        places = [names.index(name) for name in _COLUMNS]
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) <= max(places):
                raise InputError(f"line {rows.line_num} has {len(row)} cells, not {len(names)}", source=source)
            one, other, word, translation = (row[place].strip() for place in places)
            codes = language_code(one) or "", language_code(other) or ""
            if not all(codes) or codes[0] == codes[1]:
                what = f"line {rows.line_num}: {printable(one)!r} to {printable(other)!r} is no pair of languages"
                raise InputError(what, source=source, remedy="write codes such as de and en")
            yield rows.line_num, (*codes, word, translation)
    except csv.Error as error:
        raise InputError(f"line {rows.line_num} is not CSV ({error})", source=source) from None


def _as_probabilities(shares: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    total = sum(shares.values())
    return tuple(
        sorted(((word, share / total) for word, share in shares.items()), key=lambda pair: (-pair[1], pair[0]))
    )


def with_dictionary(table: Translations, dictionary: Translations) -> Translations:
    """A table with the translations of a dictionary in place of its own."""
    directions = dict(table.directions)
    for pair, own in dictionary.directions.items():
        learned = directions.get(pair, TermTranslations(0, {}))
        directions[pair] = TermTranslations(learned.claims, {**learned.terms, **own.terms})
    return Translations(table.profile, directions)


# Learning


def align_claims(left: Sequence[str], right: Sequence[str]) -> list[tuple[str, str]]:
    """Claim i with claim i where both have as many; otherwise all of them together."""
    if not left or not right:
        return []
    if len(left) == len(right):
        return list(zip(left, right, strict=True))
    return [("\n".join(left), "\n".join(right))]


def learn_translations(
    patents: Iterable[Patent],
    *,
    profile: Annotated[
        Profile | ProfileName | None, Help("How words become terms.", default="that of the index, or default")
    ] = None,
    claims: Annotated[int | None, COUNT, Help("The maximum number of parallel claims per pair of languages.")] = None,
    least: int = _MIN_CLAIMS,
    progress: Callable[[int, int], None] | None = None,
) -> Translations:
    """Learn a table of translations from patents with claims in several languages.

    Args:
        patents: The patents; those with claims in one language only are read and not used.
        least: The number of claims that a term must occur in.
        progress: Called with the number of pairs of languages that are done, and in all.
    """
    chosen = load_profile(profile or "default") if isinstance(profile, str | None) else profile
    by_pair = _gather_claims(patents, chosen, claims)
    directions: dict[tuple[str, str], TermTranslations] = {}
    for number, ((one, other), (left, right)) in enumerate(sorted(by_pair.items()), 1):
        directions[one, other] = _learn_direction(left, right, least)
        directions[other, one] = _learn_direction(right, left, least)
        if progress is not None:
            progress(number, len(by_pair))
    kept = {pair: direction for pair, direction in directions.items() if direction.terms}
    if not kept:
        raise InputError(
            "no translation could be learned: too few patents have claims in several languages",
            remedy="give European patent specifications (EP-B)",
        )
    return Translations(chosen.name, kept)


def _gather_claims(
    patents: Iterable[Patent], profile: Profile, most: int | None
) -> dict[tuple[str, str], tuple[list[Counter[str]], list[Counter[str]]]]:
    """The aligned claims of each pair of languages, as terms with their frequencies."""
    by_pair: dict[tuple[str, str], tuple[list[Counter[str]], list[Counter[str]]]] = {}
    analyzer = cache(lambda language: Analyzer(language, profile))
    for patent in patents:
        languages = sorted(language for language, texts in patent.claims.items() if language and texts)
        for one, other in combinations(languages, 2):
            left, right = by_pair.setdefault((one, other), ([], []))
            for claim, counterpart in align_claims(patent.claims[one], patent.claims[other]):
                if most is not None and len(left) >= most:
                    break
                left.append(Counter(analyzer(one).terms(claim)))
                right.append(Counter(analyzer(other).terms(counterpart)))
    return by_pair


def _learn_direction(source: Sequence[Counter[str]], target: Sequence[Counter[str]], least: int) -> TermTranslations:
    if not source:
        return TermTranslations(0, {})
    left, right = _number_terms(source, least), _number_terms(target, least)
    sizes = [len(left.keys() & e.keys()) * len(right.keys() & f.keys()) for e, f in zip(source, target, strict=True)]
    step = max(1, -(-sum(sizes) // MAX_COMBINATIONS))
    pairs = list(zip(source, target, strict=True))[::step]
    keys, probabilities = estimate([e for e, _ in pairs], [f for _, f in pairs], left, right)
    return TermTranslations(len(pairs), _prune(keys, probabilities, list(left), list(right)))


def _number_terms(claims: Sequence[Counter[str]], least: int) -> dict[str, int]:
    number = Counter(term for claim in claims for term in claim)
    return {term: at for at, term in enumerate(sorted(term for term in number if number[term] >= least))}


def _encode(claims: Sequence[Counter[str]], numbers: Mapping[str, int]) -> tuple[Ints, Ints, Floats]:
    """Claims as arrays: where each begins, term numbers in ascending order, frequencies."""
    rows = [sorted((numbers[term], count) for term, count in claim.items() if term in numbers) for claim in claims]
    flat = [entry for row in rows for entry in row]
    ptr = pointers_from_sizes(np.array([*map(len, rows)], np.int64))
    terms = np.array([term for term, _ in flat], np.int64)
    return ptr, terms, np.array([count for _, count in flat], np.float64)


def estimate(
    source: Sequence[Counter[str]], target: Sequence[Counter[str]], left: Mapping[str, int], right: Mapping[str, int]
) -> tuple[Ints, Floats]:
    """t(f|e) for each combination of terms that occurs: e · (number of target terms) + f, ascending, and t.

    The empty term has the number after those of the source terms.
    """
    e_ptr, e_terms, e_counts = _encode(source, left)
    f_ptr, f_terms, f_counts = _encode(target, right)
    empty, width = len(left), len(right)
    ends = e_ptr[1:]
    e_terms, e_counts = np.insert(e_terms, ends, empty), np.insert(e_counts, ends, 1.0)
    e_ptr = e_ptr + np.arange(len(e_ptr))
    keys = np.empty(int((np.diff(e_ptr) * np.diff(f_ptr)).sum()), np.int64)
    combine(e_ptr, e_terms, f_ptr, f_terms, width, keys)
    known, place = np.unique(keys, return_inverse=True)
    del keys
    owner = known // max(width, 1)
    probabilities = np.ones(len(known))
    for _ in range(ITERATIONS):
        counts = np.zeros(len(known))
        expect(e_ptr, e_counts, f_ptr, f_counts, place.astype(np.int64, copy=False), probabilities, counts)
        totals = np.bincount(owner, counts, empty + 1)
        probabilities = counts / totals[owner]
    return known, probabilities


def _prune(
    keys: Ints, probabilities: Floats, sources: Sequence[str], targets: Sequence[str]
) -> dict[str, tuple[tuple[str, float], ...]]:
    """The most probable translations of each term, scaled to sum to 1."""
    translations: dict[str, tuple[tuple[str, float], ...]] = {}
    kept = probabilities >= _MIN_PROBABILITY
    owner, other, chance = keys[kept] // max(len(targets), 1), keys[kept] % max(len(targets), 1), probabilities[kept]
    begins = np.searchsorted(owner, np.arange(len(sources) + 1))
    for number, term in enumerate(sources):
        part = slice(begins[number], begins[number + 1])
        entries = zip(other[part].tolist(), chance[part].tolist(), strict=True)
        best = sorted(((targets[f], p) for f, p in entries), key=lambda pair: (-pair[1], pair[0]))[:_MAX_TRANSLATIONS]
        total = sum(p for _, p in best)
        if best:
            translations[term] = tuple((word, p / total) for word, p in best)
    return translations


@kernel
def combine(e_ptr: Ints, e_terms: Ints, f_ptr: Ints, f_terms: Ints, width: int, keys: Ints) -> None:
    """Every combination of a source and a target term, claim by claim.

    Bounds: `keys` is as long as the products of the lengths of both sides add up to.
    """
    at = 0
    for i in range(len(e_ptr) - 1):
        for f in range(f_ptr[i], f_ptr[i + 1]):
            for e in range(e_ptr[i], e_ptr[i + 1]):
                keys[at] = e_terms[e] * width + f_terms[f]
                at += 1


@kernel
def expect(
    e_ptr: Ints, e_counts: Floats, f_ptr: Ints, f_counts: Floats, place: Ints, probabilities: Floats, counts: Floats
) -> None:
    """Add the expected counts of all claims, combination by combination as `combine` lists them.

    Bounds: `place` has an entry per combination, which is a place in `probabilities` and `counts`.
    """
    at = 0
    for i in range(len(e_ptr) - 1):
        first, last = e_ptr[i], e_ptr[i + 1]
        for f in range(f_ptr[i], f_ptr[i + 1]):
            total = 0.0
            for e in range(first, last):
                total += e_counts[e] * probabilities[place[at + e - first]]
            if total > 0:
                for e in range(first, last):
                    here = place[at + e - first]
                    counts[here] += f_counts[f] * e_counts[e] * probabilities[here] / total
            at += last - first


# Using


@dataclass(frozen=True, eq=False)
class TranslatedStatistics:
    """The frequencies that the terms of one language are expected to have in documents of another.

        df(e) = Σ_f t(f|e) · df(f),   cf(e) = Σ_f t(f|e) · cf(f)

    A query can thus be made of a topic in a language that no document is in: it is weighted by how rare its
    translations are. A term without a translation counts as itself: a name is the same in both languages.

        Darwish, Oard: Probabilistic structured query methods, SIGIR 2003.
    """

    others: Statistics
    """Of the language that is searched."""
    translations: Translations
    source: str
    target: str

    @property
    def documents(self) -> int:
        return self.others.documents

    @property
    def tokens(self) -> int:
        return self.others.tokens

    @property
    def average_length(self) -> float:
        return self.others.average_length

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        translated = [self.translations.of(term, self.source, self.target) or ((term, 1.0),) for term in terms]
        sizes = np.array([*map(len, translated)], np.int64)
        chances = np.array([chance for words in translated for _, chance in words], np.float64)
        own = self.others.frequencies([word for words in translated for word, _ in words])
        owner = np.repeat(np.arange(len(terms)), sizes)

        def expect(frequencies: Ints) -> Ints:
            return np.ceil(np.bincount(owner, chances * frequencies, len(terms))).astype(np.int64)

        return Frequencies(expect(own.documents), expect(own.occurrences))

    def frequencies_in(self, vocabulary: Any) -> Frequencies:
        return self.frequencies([vocabulary[at] for at in range(len(vocabulary))])


def translate_query(
    query: Query, translations: Translations, target: str, known: Callable[[Sequence[str]], Sequence[bool]], most: int
) -> Query | None:
    """A query in another language: weights shared out by the probabilities; None if no term has a translation.

    A term without a translation stays as it is if `known` says that the target language has it: a name, say.
    """
    if query.language == target:
        raise UsageError(f"the query is in {target} already")
    weights: dict[str, float] = {}
    missing: dict[str, float] = {}
    origins: dict[str, tuple[float, Origin]] = {}
    for term, weight in zip(query.terms, query.weights.tolist(), strict=True):
        words = translations.of(term, query.language, target)
        for word, probability in words:
            weights[word] = weights.get(word, 0.0) + weight * probability
            origin = (weight * probability, (term, probability))
            origins[word] = max(origins.get(word, origin), origin)
        if not words:
            missing[term] = weight
    if not weights:
        return None
    for (term, weight), there in zip(missing.items(), known(list(missing)), strict=True):
        if there:
            weights[term] = weights.get(term, 0.0) + weight
    heaviest = sorted((term for term in weights if weights[term] > 0), key=lambda term: (-weights[term], term))[:most]
    kept = {term: weights[term] for term in heaviest}
    from_terms = tuple(origins[term][1] if term in origins else (term, 1.0) for term in heaviest)
    return Query.from_terms(kept, target, query.method, topic=query.topic, origins=from_terms)
