"""The searcher's language: Boolean expressions of words, phrases, proximity, truncation and fields.

    radar OR (sonar NOT submarine)          AND is implied between words
    "live migration"  fuel-cell             words one after the other
    valve NEAR/5 pressure  valve ADJ/3 seat at most five words on in either order, three in this order; ADJ is ADJ/1
    pressur*  colo?r                        any number of letters, one letter; of words as written
    ti:valve  ab:(a OR b)  cl: desc:        in title, abstract, claims, description
    de:pumpe  ti_fr:soupape                 in German; in a French title
    ipc:H04L cpc:"H04L 12/56" pa:bosch in:smith pd:2001..2005-06 pn:EP1000000 ct:US5000000
    S1 AND S2                               sets: earlier expressions

From loose to tight: OR, AND, NOT, NEAR and ADJ, fields. Operators may be in lower case; between quotation marks they
are words. An error names the place. What other search systems write is understood where it means the same, and
answered with what to write here where it does not (`FOREIGN`).
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from antecede.conditions.fields import DAYS, FIELDS
from antecede.conditions.tree import (
    TEXT_FIELDS,
    And,
    Fact,
    InField,
    InLanguage,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Truncation,
    Word,
)
from antecede.errors import UsageError, printable
from antecede.text.analyzer import REMOVAL, find_words, is_elided, normalize_word
from antecede.text.profiles import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antecede.conditions.fields import Field

SAME = {"title": "ti", "abstract": "ab", "claims": "cl", "description": "desc"}
"""What a field of texts is also called."""
FIELD_OF = {letters: field for field in FIELDS.values() for letters in field.letters}
QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "”": "”"}
MAX_CHARACTERS = 100_000
"""Characters of an expression."""
MAX_DEPTH = 50
"""Parentheses within parentheses, and NEAR and ADJ in succession."""
MAX_LEVELS = 200
"""The levels of an expression with those of its sets."""
MAX_PARTS = 2000
"""Words, values and sets in an expression, those of the sets included."""
MAX_DISTANCE = 1000
"""Words that NEAR and ADJ look ahead."""
MIN_STEM = 2
"""Letters before the first `*` or `?`."""
YEARS = 1000, 2999

TOKEN = re.compile(
    r"""\s*(?:
    (?P<open>\() | (?P<close>\))
    | (?P<quoted>["“„«”])
    | (?P<near>(?:NEAR|ADJ)(?:/?\d+)?(?![^\s()"]))
    | (?P<operator>(?:AND|OR|NOT|ANDNOT)(?![^\s()"]))
    | (?P<field>[A-Za-z_]+)(?P<relation>>=|<=|[:=<>])
    | (?P<set>S\d+(?![^\s()"]))
    | (?P<word>[^\s()"“„«”]+)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
BRACKETS = re.compile(
    r"\s*+\[\s*+(?P<first>\S{1,40}?)(?:\s+TO\s+|\s*,\s*|\s+)(?P<last>[^\s\]]{1,40}+)\s*+\]", re.IGNORECASE
)
FOREIGN = (
    (
        re.compile(r"/?\d*[wdn]\d*|[wdn]/\d+|pre/\d+|prox/\S*|(?:near|adj)/\S*|same|with|~\d*", re.IGNORECASE),
        "write ADJ/5 for words in this order, at most five on, and NEAR/5 for either order",
    ),
    (re.compile(r"&+|\++|\+\S+"), "write AND"),
    (re.compile(r"\|+|,"), "write OR"),
    (re.compile(r"[-!^]\S*"), "write NOT"),
)
"""Operators of other systems, and what to write here."""


class ExpressionError(UsageError):
    """An expression cannot be understood: what is wrong, and where."""

    def __init__(self, what: str, text: str, place: int) -> None:
        self.what, self.text, self.place = what, text, place
        begin = max(0, place - 50)
        line = "".join(each if each.isprintable() else " " for each in text[begin : place + 30])
        self.picture = f"    {line}\n    {' ' * (place - begin)}^"
        super().__init__(f"{what} (at character {place + 1})")


POSITIONAL = (Word, Truncation, Phrase, Near, Or)
"""What may be part of NEAR and ADJ."""


class _Token(NamedTuple):
    kind: str
    text: str
    place: int
    relation: str = ""


def parse_expression(text: str, sets: Sequence[str] = ()) -> Node:
    """The expression that a text writes; `sets` are those that S1, S2 … in it denote, each of those before it."""
    known: list[Node] = []
    for number, written in enumerate(sets, 1):
        try:
            known.append(_Parser(written, known).parse())
        except ExpressionError as error:
            raise ExpressionError(f"set S{number}: {error.what}", error.text, error.place) from None
    return _Parser(text, known).parse()


def phrase_of(words: str) -> Node:
    """The expression for words that were given without operators: a word, or a phrase."""
    inside = " ".join(words.split())
    if len(inside) > 1 and QUOTES.get(inside[0]) == inside[-1]:
        inside = inside[1:-1].strip()
    return _words_of(inside, inside, 0, patterns=False)


def _words_of(words: str, text: str, place: int, *, patterns: bool) -> Node:
    """The word, or the phrase of the words, of a piece of an expression."""
    parts: list[Word | Truncation] = []
    for match in re.finditer(r"\S+", words):
        piece, at = match[0], place + match.start()
        if patterns and re.search(r"[*?]", piece):
            parts += _truncated(piece, text, at)
            continue
        _check_digits(piece, text, at)
        parts += [
            Word(word, is_elided(piece, first, end))
            for first, end in find_words(piece)
            if (word := normalize_word(piece[first:end]))
        ]
    if not parts:
        raise ExpressionError(f"{printable(words)!r} has no word", text, place)
    return parts[0] if len(parts) == 1 else Phrase(tuple(parts))


def _check_digits(piece: str, text: str, place: int) -> None:
    """Refuse digits: an index has letters only, and `5G` would be found wherever a `g` is."""
    if any(map(str.isdecimal, piece)):
        raise ExpressionError(
            f"digits are not indexed; leave {printable(piece)!r} out, or write its letters", text, place
        )


def _truncated(piece: str, text: str, place: int) -> Iterator[Word | Truncation]:
    """The words and truncated words of a piece without blanks: `fuel-cell*` has one of each."""
    _check_digits(piece, text, place)
    composed = unicodedata.normalize("NFC", piece.translate(REMOVAL))  # an accent of its own would end the word
    for match in re.finditer(r"[^\W\d_*?]+(?:[^\W\d_]|[*?])*|[*?]+", composed):
        if not re.search(r"[*?]", match[0]):
            yield Word(normalize_word(match[0]), is_elided(composed, *match.span()))
            continue
        pattern = re.sub(r"\*+", "*", _normalize_pattern(match[0]))
        if len(re.split(r"[*?]", pattern, maxsplit=1)[0]) < MIN_STEM:
            raise ExpressionError(
                f"{printable(match[0])!r} matches too many words; write at least {MIN_STEM} letters before * or ?",
                text,
                place + match.start(),
            )
        yield Truncation(pattern)


def _normalize_pattern(pattern: str) -> str:
    """A truncated word with its letters in normal form."""
    return "".join(part if part in "*?" else normalize_word(part) for part in re.split(r"([*?])", pattern))


class _Parser:
    """A parser by recursive descent; each method reads one level of binding."""

    def __init__(self, text: str, sets: Sequence[Node]) -> None:
        if len(text) > MAX_CHARACTERS:
            raise UsageError(f"an expression has at most {MAX_CHARACTERS} characters, this one has {len(text)}")
        self.text, self.sets = text, sets
        self.at = self.depth = self.words_of_sets = 0
        self.field: str | None = None
        self.language = ""
        self.next = self.read_token()

    def error(self, what: str, place: int | None = None) -> ExpressionError:
        return ExpressionError(what, self.text, self.next.place if place is None else place)

    def read_token(self) -> _Token:
        """The token from the present place on."""
        match = TOKEN.match(self.text, self.at)
        if match is None or match.lastgroup is None:
            return _Token("end", "", len(self.text.rstrip()))
        kind = "field" if match["field"] else match.lastgroup
        place = match.start(kind)
        if kind == "quoted":
            return self.read_quoted(place)
        self.at = match.end()
        return _Token(kind, match[kind], place, match["relation"] or "")

    def read_quoted(self, place: int) -> _Token:
        """The text between quotation marks."""
        closing = QUOTES[self.text[place]]
        end = self.text.find(closing, place + 1)
        if end < 0 and closing != '"':
            end = self.text.find('"', place + 1)
        if end < 0:
            raise ExpressionError("this quotation mark is not closed", self.text, place)
        self.at = end + 1
        return _Token("quoted", self.text[place + 1 : end], place + 1)

    def take(self) -> _Token:
        token, self.next = self.next, _Token("end", "", 0)
        self.next = self.read_token()
        return token

    def is_operator(self, *names: str) -> bool:
        return self.next.kind == "operator" and self.next.text.upper() in names

    def parse(self) -> Node:
        if self.next.kind == "end":
            raise self.error("the expression is empty; write words, as in radar OR sonar")
        node = self.parse_or()
        if self.next.kind != "end":
            raise self.error("this parenthesis was not opened")
        self.count_words(node, 0)
        levels, level = 0, [node]
        while level:
            levels, level = levels + 1, [part for above in level for part in above.parts]
        if levels > MAX_LEVELS:
            raise self.error(f"with its sets, the expression has {levels} levels, at most {MAX_LEVELS}", 0)
        return node

    def count_words(self, node: Node, before: int) -> int:
        """The words of a part and those before; refused where they are too many."""
        number = before + sum(not part.parts for part in node.walk())
        if number > MAX_PARTS:
            raise self.error(f"the expression has {number} words, at most {MAX_PARTS} are allowed", 0)
        return number

    def parse_or(self) -> Node:
        members = [self.parse_and()]
        while self.is_operator("OR"):
            self.take()
            members.append(self.parse_and())
        return members[0] if len(members) == 1 else Or(_flat(Or, members))

    def parse_and(self) -> Node:
        members = [self.parse_not()]
        while self.next.kind not in ("end", "close") and not self.is_operator("OR"):
            if self.is_operator("AND"):
                self.take()
            members.append(self.parse_not())
        return members[0] if len(members) == 1 else And(_flat(And, members))

    def parse_not(self) -> Node:
        if not self.is_operator("NOT", "ANDNOT"):
            return self.parse_near()
        self.take()
        self.descend()
        node = Not(self.parse_not())
        self.depth -= 1
        return node

    def descend(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"more than {MAX_DEPTH} levels of parentheses, NOT, NEAR or ADJ")

    def parse_near(self) -> Node:
        node, outside = self.parse_atom(), self.depth
        while self.next.kind == "near":
            self.descend()
            token = self.take()
            name, number = re.fullmatch(r"([a-z]+)/?(\d*)", token.text, re.IGNORECASE).groups()  # type: ignore[union-attr]
            distance = int(number[:9] or 1)
            if not 1 <= distance <= MAX_DISTANCE:
                raise self.error(f"a distance is a number from 1 to {MAX_DISTANCE}", token.place)
            begin = self.next.place
            right = self.parse_atom()
            for part, place in ((node, token.place), (right, begin)):
                self.check_positional(part, token, place)
            node = Near(node, right, distance, name.upper() == "ADJ")
        self.depth = outside
        return node

    def check_positional(self, part: Node, token: _Token, place: int) -> None:
        """Refuse what has no place in a text as a part of NEAR or ADJ."""
        for below in part.walk():
            if not isinstance(below, POSITIONAL):
                what = {Not: "NOT", And: "AND"}.get(type(below), printable(str(below)))
                remedy = "it joins words, phrases, truncated words and OR of them"
                if isinstance(below, InField | InLanguage):
                    remedy = "put the field before the whole, as in ti:(valve NEAR/5 seat)"
                raise self.error(f"{what} cannot be part of {token.text.upper()}; {remedy}", place)

    def parse_atom(self) -> Node:
        token = self.next
        if token.kind == "open":
            return self.parse_group()
        if token.kind == "field":
            return self.parse_field()
        if token.kind == "close":
            raise self.error("something is missing before this parenthesis")
        if token.kind == "end":
            raise self.error("something is missing at the end")
        if token.kind in ("operator", "near"):
            raise self.error(
                f"something is missing before {token.text.upper()}; to search for the word, put it in quotation marks"
            )
        return self.parse_set() if token.kind == "set" and self.field is None else self.parse_words()

    def parse_group(self) -> Node:
        opening = self.take()
        self.descend()
        node = self.parse_or()
        self.depth -= 1
        if self.next.kind != "close":
            raise self.error("this parenthesis is not closed", opening.place)
        self.take()
        return node

    def parse_set(self) -> Node:
        token = self.take()
        number = int(token.text[1:][:9])
        if not 1 <= number <= len(self.sets):
            there = f"there are S1 to S{len(self.sets)}" if self.sets else "no set is defined"
            raise self.error(f"there is no set {printable(token.text)}; {there}", token.place)
        chosen = self.sets[number - 1]
        self.words_of_sets = self.count_words(chosen, self.words_of_sets)
        return chosen

    def parse_field(self) -> Node:
        name, relation, place = self.next.text.lower(), self.next.relation, self.next.place
        name, language = _split_language(name)
        if language and self.language:
            raise self.error(f"{language} is inside of {self.language}, a word is in one language", place)
        name = SAME.get(name, name)
        fact = FIELD_OF.get(name)
        if name not in TEXT_FIELDS and (fact is None or language) and (name or not language):
            known = ", ".join((*TEXT_FIELDS, *(field.letters[0] for field in FIELDS.values() if field.letters)))
            remedy = f"and the languages {', '.join(LANGUAGES)}, alone or after a field, as in ti_en:"
            written = f"{name}_{language}" if language else name
            raise self.error(f"there is no field {printable(written)!r}; there are {known}, {remedy}")
        if self.field is not None and name:
            raise self.error(f"{name}: is inside the field {self.field}:, a word is in one field", place)
        is_day = fact is not None and fact.match == DAYS
        if relation not in (":", "=") and not is_day:
            raise self.error(f"{relation} compares dates only; write {name}:", place)
        if fact is not None and is_day:
            return self.parse_dates(fact, relation, place)
        self.take()
        outside = self.field, self.language
        self.field, self.language = name or self.field, language or self.language
        node = self.parse_atom()
        self.field, self.language = outside
        if name in TEXT_FIELDS:
            node = InField(TEXT_FIELDS[name], node)
        return InLanguage((language,), node) if language else node

    def parse_dates(self, field: Field, relation: str, place: int) -> Node:
        """A day, month or year, or a range: 2001-05, 2001..2005, [2001 TO 2005], >=2001."""
        if (bracketed := BRACKETS.match(self.text, self.at)) is not None:
            self.at = bracketed.end()
            written = f"{bracketed['first']}..{bracketed['last']}"
            self.next = self.read_token()
        else:
            self.take()
            if self.next.kind not in ("word", "quoted"):
                raise self.error("give one date or range, as in pd:2001..2005")
            written = self.take().text
        if sign := re.match(r"[<>]=?", written):
            relation, written = sign[0], written[sign.end() :]
        first, between, last = written.partition("..")
        spans = [None if each in ("", "*") else self.read_date(each, place) for each in (first, last)]
        begin, end = spans if between else (spans[0], spans[0])
        if relation == ">" and begin is not None:
            begin, end = (begin[1] + timedelta(1), begin[1]), None
        elif relation == "<" and end is not None:
            begin, end = None, (end[0], end[0] - timedelta(1))
        elif relation in (">=", "<="):
            begin, end = (begin, None) if relation == ">=" else (None, end)
        if begin is None and end is None:
            raise self.error("give a date, as in pd:2001..2005 or pd:>=2001", place)
        if begin is not None and end is not None and begin[0] > end[1]:
            raise self.error(f"no date is from {begin[0]} to {end[1]}; write the earlier one first", place)
        return Fact(field.name, f"{begin[0] if begin else ''}..{end[1] if end else ''}")

    def read_date(self, written: str, place: int) -> tuple[date, date]:
        """The first and last day of a year, a month or a day."""
        match = re.fullmatch(r"(\d{4})(?:[-/.]?(\d{1,2})(?:[-/.]?(\d{1,2}))?)?", written)
        try:
            if match is None:
                raise ValueError(written)
            year, month, day = (int(part) if part else 0 for part in match.groups())
            if not YEARS[0] <= year <= YEARS[1]:  # the days before and after are dates, too
                raise ValueError(written)
            if day:
                return date(year, month, day), date(year, month, day)
            following = date(year + (month or 12) // 12, (month or 12) % 12 + 1, 1)
            return date(year, month or 1, 1), following - timedelta(1)
        except ValueError:
            what = (
                f"{printable(written)!r} is not a date; write 2001, 2001-05 or 2001-05-31, and for an open range 2001.."
            )
            raise self.error(what, place) from None

    def parse_words(self) -> Node:
        """A word, a phrase, or the value of a field."""
        token = self.take()
        if (field := FIELD_OF.get(self.field or "")) is not None:
            try:  # in the form in which it is compared
                return Fact(field.name, field.key(token.text.strip().rstrip(field.truncation)))
            except UsageError as error:
                raise self.error(str(error), token.place) from None
        if token.kind == "word":
            for pattern, remedy in FOREIGN:
                if pattern.fullmatch(token.text):
                    raise self.error(f"{printable(token.text)!r} is not an operator here; {remedy}", token.place)
        text = token.text
        if token.kind == "word":
            text = re.sub(r"(?<=\w)[+$]+(?!\w)", "*", text.replace("#", "?"))  # as other systems truncate
        return _words_of(text, self.text, token.place, patterns=True)


def _split_language(name: str) -> tuple[str, str]:
    """The name of a field and the language that it names: `ti_de` is `ti` and `de`, `de` is every field in `de`."""
    field, _, code = name.rpartition("_")
    return (field, code) if code in LANGUAGES else (name, "")


def _flat(kind: type[And | Or], members: Sequence[Node]) -> tuple[Node, ...]:
    """Members with those of members of the same kind in their place."""
    return tuple(below for member in members for below in (member.members if isinstance(member, kind) else (member,)))
