"""XML and SGML markup as bytes: where a tag or a DOCTYPE ends, SGML as XML, character entities. Not a parser."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import cache, lru_cache
from html.entities import html5
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.etree import _Element as Element

_NAME = rb"[A-Za-z_\x80-\xff][\w.\-\x80-\xff]*+"

START_TAG = re.compile(
    rb"<(?P<prefix>" + _NAME + rb":)?(?P<local>" + _NAME + rb")(?P<rest>(?:[^\"'<>]++|\"[^\"]*+\"|'[^']*+')*+)>"
)
"""A start tag with its attributes, which may contain `>` in quotes; `rest` ends in `/` if the element is empty."""

_NAMESPACE = re.compile(rb"\s(xmlns(?::" + _NAME + rb")?)\s*=\s*(\"[^\"]*\"|'[^']*')")

MAX_DOCTYPE_LENGTH = 4 << 20
"""In bytes. The longest real ones list some thousands of drawings as entities."""

_QUOTED = rb"\"[^\"]*+\"|'[^']*+'|<!--(?>.*?-->)|<\?(?>.*?\?>)|<(?!!--|\?)"
_IN_DOCTYPE = re.compile(rb"(?:[^\"'\[\]<>]++|" + _QUOTED + rb")*+", re.DOTALL)
"""What a DOCTYPE consists of except its brackets. Quotes, comments and instructions inside may contain `]` and `>`."""
_IN_SUBSET = re.compile(rb"(?:[^\"'\[\]<]++|" + _QUOTED + rb")*+", re.DOTALL)
"""The same inside its brackets, where declarations end with `>`: long lists of entities are skipped in one match."""


def doctype_end(data: bytes | bytearray, start: int, longest: int = MAX_DOCTYPE_LENGTH) -> int:
    """Where the DOCTYPE that begins at `start` ends, with its subset; −1 if it does not end within the limit."""
    inside = 0
    position, stop = start + len(b"<!DOCTYPE"), start + longest
    while (found := (_IN_SUBSET if inside else _IN_DOCTYPE).match(data, position, stop)) is not None:
        mark, position = data[found.end() : min(found.end() + 1, stop)], found.end() + 1
        if mark == b"[":
            inside += 1
        elif mark == b"]":
            inside = max(0, inside - 1)
        else:  # the end, or something that does not end
            return position if mark == b">" else -1
    return -1


def doctype_start(data: bytes) -> int:
    """Where the DOCTYPE of a document begins, −1 if it has none: only comments and instructions come before it."""
    position = 0
    while True:
        position = skip_space(data, position)
        if data.startswith(b"<!DOCTYPE", position):
            return position
        closed_by = next(
            (end for start, end in ((b"<!--", b"-->"), (b"<?", b"?>")) if data.startswith(start, position)), b""
        )
        if not closed_by or (at := data.find(closed_by, position + 2)) < 0:
            return -1
        position = at + len(closed_by)


_SPACE = re.compile(rb"(?:\s|\xef\xbb\xbf|[\x00\x1a])*+")
"""White space, byte order marks, and the NUL and end-of-file characters that old systems pad with."""


def skip_space(data: bytes | bytearray, position: int) -> int:
    """The first position that is not white space or padding."""
    found = _SPACE.match(data, position)
    return position if found is None else found.end()


@lru_cache(maxsize=8)
def declared_namespaces(tag: bytes) -> Mapping[bytes, bytes]:
    """The namespaces that a start tag declares: attribute name → quoted value.

    Cached, because the tag of a container is looked up for every record in it."""
    return dict(_NAMESPACE.findall(tag))


@lru_cache(maxsize=8)
def document_start(names: frozenset[str]) -> re.Pattern[bytes]:
    """The pattern of the beginning of a supported document."""
    known = b"|".join(re.escape(name.encode()) for name in sorted(names))
    return re.compile(rb"<(?:\?xml\s|!DOCTYPE\s|(?:" + _NAME + rb":)?(?:" + known + rb")[\s/>])")


# The SGML that the USPTO published until 2001, converted to XML

SGML_ROOTS = frozenset({"PATDOC"})

_EMPTY = (
    b"B221US B473US B597US CHEMCDX CHEMMOL CITED-BY-EXAMINER CITED-BY-OTHER COLSPEC CRF CUSTOM-CHARACTER DEL-E DEL-S "
    b"DFREF EMI EMR FOR INS-E INS-S LSTREF MATHEMATICA PAREF SEQREF SPANSPEC TBLREF colspec spanspec"
).split()
"""Empty elements of the USPTO's ST.32, which have no end tag in SGML."""

_OPEN_EMPTY = re.compile(
    rb"<(" + b"|".join(_EMPTY) + rb")((?:\s(?:[^\"'<>]++|\"[^\"]*+\"|'[^']*+')*+)?)>(?:\s*</\1\s*>)?"
)
_UNQUOTED = re.compile(rb"(\s[\w.\-]+\s*=\s*)([^\s\"'<>]+)(?=[\s>/])")
_TAG = re.compile(rb"<[A-Za-z][\w.\-]*\s(?:[^\"'<>]++|\"[^\"]*+\"|'[^']*+')*+>")
BARE_AMPERSAND = re.compile(rb"&(?!(?:#\d+|#x[0-9A-Fa-f]+|[A-Za-z][\w.\-]*);)")
_NOT_TEXT = re.compile(
    rb"<!--(?>.*?-->|.*)|<\?(?>.*?>|.*)|<!\[CDATA\[|\]\]>|</?[A-Za-z](?:[^\"'<>]++|\"[^\"]*+\"|'[^']*+')*+>", re.DOTALL
)


def to_xml(data: bytes) -> bytes:
    """Convert SGML to XML: close empty elements, quote attributes, escape bare ampersands."""
    data = _TAG.sub(lambda tag: _UNQUOTED.sub(rb'\1"\2"', tag.group()), data)
    data = _OPEN_EMPTY.sub(lambda tag: b"<%b%b/>" % (tag[1], tag[2].rstrip(b"/")), data)
    return BARE_AMPERSAND.sub(b"&amp;", data)


def has_same_text(data: bytes, root: Element) -> bool:
    """Whether a tree recovered from broken markup contains all text of the document."""
    meant = html.unescape(_NOT_TEXT.sub(b"", data).decode("utf-8", "replace"))
    try:
        read = "".join(map(str, root.itertext()))
    except UnicodeDecodeError:  # half a surrogate pair, by number, which the recovering parser lets through
        return False
    return "".join(meant.split()) == "".join(read.split())


# Character entities of patents, such as `&agr;` and `&mdash;`; no DTD is ever read.
#
# The names of HTML 5, which Python includes, cover nearly all ISO and MathML sets. Added is what patents use beyond
# them: the Greek letters of ISO 8879 (`&agr;`), bold Greek (`&b.alpha;`), names of older sets, and some of the USPTO.
# Where the sets of 1986, 2003 and HTML 5 disagree on a character, HTML 5 is followed.

_GREEK = {
    "a": "α", "b": "β", "g": "γ", "d": "δ", "e": "ε", "z": "ζ", "ee": "η", "th": "θ", "i": "ι", "k": "κ", "l": "λ",
    "m": "μ", "n": "ν", "x": "ξ", "o": "ο", "p": "π", "r": "ρ", "sf": "ς", "s": "σ", "t": "τ", "u": "υ", "ph": "φ",
    "kh": "χ", "ps": "ψ", "oh": "ω",
}  # fmt: skip
"""The letters as ISOgrk1 spells them, without the suffix `gr`; a capital is spelled in capitals: `PHgr`."""

_ACUTE, _DIAERESIS = "\u0301", "\u0308"
_ACCENTED = {"ac": ("a", "e", "ee", "i", "o", "u", "oh"), "di": ("i", "u"), "dia": ("i", "u")}
_ACCENTS = {"ac": _ACUTE, "di": _DIAERESIS, "dia": _DIAERESIS + _ACUTE}

_OLDER = {
    # ISO 8879 and MathML 1, renamed or dropped since
    "epsis": "ε", "phis": "φ", "thetas": "θ", "gsdot": "⋗", "ldot": "⋖", "cupre": "≼", "samalg": "∐", "sbsol": "﹨",
    "jnodot": "ȷ", "vprime": "′", "lpargt": "⦠", "percent": "%",
    "larr2": "⇇", "rarr2": "⇉", "uarr2": "⇈", "darr2": "⇊", "lrarr2": "⇆", "rlarr2": "⇄", "lrhar2": "⇋",
    "rlhar2": "⇌",
    "LeftBracketingBar": "|", "RightBracketingBar": "|", "LeftDoubleBracketingBar": "‖",
    "RightDoubleBracketingBar": "‖", "AutoLeftMatch": "", "AutoRightMatch": "", "InvisibleComma": "\u2063",
    # the USPTO's own, mostly for polymers: the nearest character
    "Circlesolid": "●", "Parenopenst": "⦅", "Parenclosest": "⦆", "Brketopenst": "⟦", "Brketclosest": "⟧",
    "Asteriskpseud": "※",
}  # fmt: skip

_BOLD = {
    **{chr(code): chr(0x1D6A8 + code - 0x391) for code in range(0x391, 0x3AA) if code != 0x3A2},
    **{chr(code): chr(0x1D6C2 + code - 0x3B1) for code in range(0x3B1, 0x3CA)},
    **dict(zip("ϵϑϰϕϱϖϜϝϒ", "\U0001d6dc\U0001d6dd\U0001d6de\U0001d6df\U0001d6e0\U0001d6e1𝟊𝟋\U0001d6bc", strict=True)),
}
"""Greek letter → bold letter of ISOgrk4."""


def _greek_entities() -> Iterator[tuple[str, str]]:
    """ISOgrk1 and ISOgrk2 by rule: letters, then letters with accents, each in lower and upper case."""
    for spelling, letter in _GREEK.items():
        yield f"{spelling}gr", letter
        if spelling != "sf":  # a final sigma has no capital
            yield f"{spelling.upper()}gr", letter.upper()
    for accent, spellings in _ACCENTED.items():
        for spelling in spellings:
            letter = unicodedata.normalize("NFC", _GREEK[spelling] + _ACCENTS[accent])
            yield f"{spelling}{accent}gr", letter
            if accent != "dia":
                yield f"{spelling.upper()}{accent}gr", letter.upper()


@cache
def known_entities() -> Mapping[str, str]:
    """All names in tables, without the rules for bold and for capitals."""
    return {
        **{name[:-1]: text for name, text in html5.items() if name.endswith(";")},
        **_OLDER,
        **dict(_greek_entities()),
    }


def find_character(name: str) -> str | None:
    """The character, or characters, of an entity; None if the name is unknown."""
    known = known_entities()
    if name in known:
        return known[name]
    if name.startswith("b."):
        plain = known.get(name[2:])
        return None if plain is None else _BOLD.get(plain)
    return _find_in_capitals(name) if name.isupper() and name.isascii() else None


def _find_in_capitals(name: str) -> str | None:
    """An entity in a text converted to capitals, as in DOCDB: `KO&SACUTE;NIK`, `A&MDASH;B`."""
    known = known_entities()
    for capital in (name[0] + name[1:].lower(), name[:2] + name[2:].lower()):
        if (letter := known.get(capital, "")).isalpha():
            return letter
    small = known.get(name.lower())
    if small is None or not unicodedata.name(small[0], "").startswith("LATIN SMALL LETTER"):
        return small
    return small.upper()
