"""Patent numbers in running text: what a description cites, and where.

A number is found by its announcement, «U.S. Pat. Nos.» or «DE-OS» or «brevet européen n°», and read according to the
forms of the office. The words are English, German and French, as descriptions use them. A list continues as long as
numbers of that office follow. Serial numbers of applications (`Ser. No. 09/413,215`, `PCT/EP2005/001234`) are not
publications and are skipped.

Every step has a bounded look-ahead, so the running time is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from antecede.patent import PatentNumber

if TYPE_CHECKING:
    from collections.abc import Iterator


_LARGE = "US EP WO DE FR GB JP"
_SMALL = "CH AT NL BE CA AU SE ES IT SU RU DD CN KR DK FI NO TW BR ZA IL HU PL CZ IE LU PT NZ IN EA DT UK"
"""Codes that descriptions put before a number. Sequence databases contain numbers that look like those of the small
offices without a space (`BE908217`), so these require a space or a dash."""

_GERMAN = r"(?:e[nrsm]?)?"
"""The endings of a German adjective."""
_NATIONS = {
    "US": rf"United States(?: of America)?|UNITED STATES|(?:US-?)?amerikanisch{_GERMAN}|am[ée]ricaine?s?|American"
    r"|[ÉE]tats[- ]Unis(?: d['’]Am[ée]rique)?",
    "EP": rf"[Ee]uropean|Eur(?=\. ?Pat)|EUROPEAN|EPO|[Ee]urop(?:ä|ae)isch{_GERMAN}|[Ee]urop[ée]en(?:ne)?s?|[Ee]urope?a",
    "DD": rf"East[- ]German|ostdeutsch{_GERMAN}",
    "DE": rf"(?:West[- ])?Germany?|GERMAN|[Dd]eutsch{_GERMAN}|[Aa]llemande?s?",
    "FR": rf"French|FRENCH|France|[Ff]ranz(?:ö|oe)sisch{_GERMAN}|[Ff]ran[çc]aise?s?",
    "GB": rf"British|BRITISH|Great Britain|United Kingdom|U\. ?K\.|[Bb]ritisch{_GERMAN}|[Bb]ritanniques?|[Aa]nglaise?s?"
    rf"|[Ee]nglisch{_GERMAN}",
    "JP": rf"Japanese|Jpn|JAPANESE|Japan|[Jj]apanisch{_GERMAN}|[Jj]aponaise?s?|[Jj]aponesa",
    "WO": r"International|INTERNATIONAL|PCT(?!/)|World|WIPO|[Ii]nternationale[nrsm]?|international",
    "CH": rf"Swiss|[Ss]chweizer(?:isch{_GERMAN})?|[Ss]uisses?",
    "AT": rf"Austrian|[Öö]sterreichisch{_GERMAN}|[Aa]utrichien(?:ne)?s?",
    "NL": rf"Dutch|Netherlands?|[Nn]iederl(?:ä|ae)ndisch{_GERMAN}|[Nn][ée]erlandaise?s?",
    "BE": rf"Belgian|[Bb]elgisch{_GERMAN}|[Bb]elges?",
    "CA": rf"Canadian|[Cc]anadien(?:ne)?s?|[Kk]anadisch{_GERMAN}",
    "AU": rf"Australian|[Aa]ustralisch{_GERMAN}",
    "SE": rf"Swedish|[Ss]chwedisch{_GERMAN}|[Ss]u[ée]dois(?:es?)?",
    "ES": rf"Spanish|[Ss]panisch{_GERMAN}|[Ee]spañola|[Ee]spagnole?s?",
    "IT": rf"Italian|[Ii]talienisch{_GERMAN}|[Ii]talien(?:ne)?s?",
    "SU": r"Soviet|USSR|UdSSR|URSS",
    "RU": rf"Russian|[Rr]ussisch{_GERMAN}|[Rr]usses?",
    "CN": rf"Chinese|[Cc]hinesisch{_GERMAN}|[Cc]hinoise?s?",
    "KR": rf"Korean?|[Kk]oreanisch{_GERMAN}|[Cc]or[ée]en(?:ne)?s?",
    "DK": rf"Danish|[Dd](?:ä|ae)nisch{_GERMAN}|[Dd]anoise?s?",
    "FI": rf"Finnish|[Ff]innisch{_GERMAN}",
    "NO": rf"Norwegian|[Nn]orwegisch{_GERMAN}",
    "TW": r"Taiwan(?:ese)?",
    "ZA": r"South[- ]African?",
}
"""Offices by name. Such a word alone is not evidence: a word for patents must be next to it."""

_AMERICAN = r"U\. ?S\. ?A\.|U\. ?S[.,]?(?: ?P\.)?|USPN?(?![A-Za-z])|USA"
_AFTER_SMALL = r" |-(?![0-9]{3},)|[0-9]{6,9} ?[ABC][1-9]?(?![A-Za-z0-9])"
_UNNAMED_OFFICE = (
    r"[Pp]at(?:ent)?s?\.? ?(?=[Nn](?:o|um))"
    r"|[Pp]ublications?(?= ?(?:[Nn](?:os?|umbers?)\.? ?)?20[0-4][0-9] ?[/\-] ?[0-9]{7}(?![0-9]))"
)
"""A number without an office: American, by its form."""
_JAPANESE_ERA_HEAD = r"(?:HEI(?:SEI)?|Hei(?:sei)?|SHO(?:WA)?|Sho(?:wa)?)(?=[. \-]{0,2}[0-9]{1,2}-[0-9]{4,6})"
_PCT_APPLICATION = r"PCT ?[/7\-]? ?(?!W[O0])[A-Z]{2} ?-?(?:[0-9]{2,4} ?[/ ] ?[0-9]{3,7}|(?:19|20)[0-9]{7,8})"
_HEAD = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    rf"(?P<filed>{_PCT_APPLICATION})|(?P<US>{_AMERICAN})|"
    rf"(?P<code>{_LARGE.replace(' ', '|')}|W0(?=[0-9 \-])|(?:{_SMALL.replace(' ', '|')})(?={_AFTER_SMALL}))(?![a-z])|"
    + "|".join(f"(?P<n{country}>{words})(?![A-Za-zäöüéèß])" for country, words in _NATIONS.items())
    + rf"|(?P<bare>{_UNNAMED_OFFICE})|(?P<era>{_JAPANESE_ERA_HEAD}))"
)
"""Where an announcement may begin: a code, a nation, a patent number without either, a Japanese era; and whole numbers
of international applications, so that no code is found within them."""

WORDS = {
    "model": r"utility|models?(?![a-z])|gebrauchsmuster[a-z]{0,16}",
    "reissue": r"reissued?|re(?=\.)",
    "design": r"designs?(?![a-z])|des(?=\.)",
    "laid_open": r"laid|open(?:ed)?(?![a-z])|unexamined|kokai|tokkai|kohyo|tokuhyo|disclosures?|translation"
    r"|offenlegungsschrift(?:en)?|offengelegte[nrs]?|offenlegung|national phase|jp-?a(?=[ )])",
    "examined": r"examined|kokoku|tokko|auslegeschrift(?:en)?|jp-?b(?=[ )])",
    "published": r"publications?|pub(?:l|ln|n|s)?(?![a-z])|published|publi[ée]e?s?|gazettes?"
    r"|ver(?:ö|oe)ffentlich[a-z]{0,8}",
    "patent": r"patentschrift(?:en)?|patente?s?(?![a-zäöü])|pats?(?![a-z])|brevets?|druckschrift(?:en)?|schrift(?:en)?"
    r"|specifications?|documents?|dokumente?|letters|fascicules?|granted|schutzrechte?",
    "filed": r"applications?|appln?s?(?![a-z])|app(?![a-z])|(?:patent)?anmeldung(?:en)?|demandes?",
    "serial": r"serial|ser(?![a-z])|provisional|s\. ?n(?![a-z])|filed|docket|aktenzeichen|az(?![a-z])|priority",
    "number": r"nos?(?![a-z])|nr[ns]?(?![a-z])|n ?[°º]s?|n(?=\.? ?[0-9])|numbers?|n[uú]m[ée]ros?|nummern?|#",
    "filler": r"official|international(?![a-z])|d[eu](?= )|l[ae](?= )|sous|d['’]|invention|its|the(?= )|under(?= )"
    r"|der(?= )|as(?= )|in(?= )|and(?= )|epa(?=[ )])|jp(?=[ )])|unter|b[12](?= [0-9])",
}
"""The words between the office and the number, by what they say about the document."""
_WORD = re.compile("|".join(f"(?P<{says}>{words})" for says, words in WORDS.items()), re.IGNORECASE)
_GAP = re.compile(r"[ .,:;()°º/\-\"“”]{0,4}")
_MAX_WORDS = 12
_PATENT_WORD_BEFORE = re.compile(
    r"(?:patente?s?|brevets?|demandes?|schrift(?:en)?|anmeldung(?:en)?|specifications?|documents?|publications?)"
    r"[\w ’'\-]{0,24}\Z",
    re.IGNORECASE,
)
"""A word for patents before the office, as in French: «brevet européen n°»."""
_LOOK_BACK = 50

# The numbers themselves, office by office

_END = r"(?![0-9])(?![,.][0-9]{3}(?![0-9,.]))(?!\.[0-9](?![0-9]))"
"""A number ends where its digits end, unless a group of three or the check digit of an application follows."""
_THREE = r"[0-9](?: ?[,.] ?|[ '])[0-9]{3}(?: ?[,.] ?|[ '])[0-9]{3}"
"""`2 123 456`, `1.234.567`, `5,123,456`, `5, 123, 456`."""
_TWO = r"[0-9]{3}[,. '][0-9]{3}(?! ?[0-9])"
_FIVE = r"[0-9]{2}[,. '][0-9]{3}(?! ?[0-9])"


@dataclass(frozen=True)
class _NumberPatterns:
    sure: re.Pattern[str]
    """Forms that are a number wherever they follow the name of the office."""
    likely: re.Pattern[str]
    """Also those that are a number only after unambiguous words or a kind: six digits after «US-A-» are a patent, after
    «US» an amount."""
    listed: re.Pattern[str]
    """Forms that may follow a number in a list, whatever the form of that number."""


_US_APPLICATION = r"20[0-4][0-9] ?[/\- ] ?[0-9]{7}|20[0-4][0-9]0?[0-9]{6}"
_US_SHORT_APPLICATION = r"20[0-4][0-9]/[0-9]{6}"
_US_SCANNED = r"1?[0-9] ?, ?(?:[0-9] ?){2}[0-9] ?, ?(?:[0-9] ?){2}[0-9]"
"""With spaces that text recognition inserted after narrow digits: `5,639,61 1`."""
_US_OLD_LAST = r"[0-9]{3},[0-9]{3}(?=[.;)]|\Z| to [A-Z])"
_US_LETTERED = r"(?:RE|Re|D|Des|DES|PP|H)[. \-]{0,2}[0-9]{1,3}(?:, ?|[. ])?[0-9]{3}"
_US_GRANT = r"1?[0-9](?: ?[,.] ?|[ '])[0-9]{3}(?: ?[,.] ?|[ '])[0-9]{3}"
_WO_DIVIDED = r"(?:19[789][0-9]|20[0-4][0-9]|[0-9]{2}) ?/ ?[0-9]{5,6}|(?:19[789][0-9]|20[0-4][0-9])/[0-9]{2,3} [0-9]{3}"
_JP_ERA = r"(?:(?:HEI(?:SEI)?|SHO(?:WA)?|[Hh]ei(?:sei)?|[Ss]ho(?:wa)?|H|S|P)[. ,\-]{0,2})?"
_JP_DIVIDED = (
    _JP_ERA + r"(?:(?:19|20)[0-9]{2}|[0-9]{1,2}) ?[\-/] ?(?:[0-9]{4,6}|[0-9]{2,3},[0-9]{3})"
    r"|[0-9]{3,6}/(?:(?:19|20)[0-9]{2}|[0-9]{2})"
)
_DE_GROUPS = (
    r"[12]0 (?:19|20)[0-9]{2} [0-9]{3} [0-9]{3}|[0-9]{3} [0-9]{2} [0-9]{3}|[0-9]{2} [0-9]{2} [0-9]{3}"
    r"|[0-9]{2} [0-9]{3} [0-9]{3}"
)
_CHECK_DIGIT = r"(?:\.[0-9](?![0-9]))?"

_GENERAL_FORMS = (f"{_THREE}|{_TWO}|[0-9]{{6,9}}", f"[0-9]{{5}}|{_FIVE}", _THREE)
_OFFICE_FORMS = {
    "US": (
        (
            f"{_US_APPLICATION}|{_US_LETTERED}|{_US_GRANT}|[0-9]{{2}} [0-9]{{2}} [0-9]{{3}}|1?[0-9]{{7}}"
            f"|[0-9][.,][0-9]{{6}}|{_US_SCANNED}"
        ),
        f"{_US_SHORT_APPLICATION}|{_TWO}|{_FIVE}|[0-9]{{5,6}}",
        f"{_US_APPLICATION}|{_US_LETTERED}|1?[0-9] ?[,.] ?[0-9]{{3}} ?[,.]? ?[0-9]{{3}}|{_US_OLD_LAST}",
    ),
    "EP": (
        rf"{_THREE}|[0-9]{{7}}|[0-9]{{4}} [0-9]{{3}}|[0-9] [0-9]{{6}}|{_TWO}|[0-9]{{6}}",
        f"{_FIVE}|[0-9]{{4,5}}",
        r"0[,. '][0-9]{3}[,. '][0-9]{3}|0[0-9]{6}|[1-4] [0-9]{3} [0-9]{3}",
    ),
    "WO": (
        _WO_DIVIDED + r"|(?:19[789][0-9]|20[0-4][0-9])[0-9]{6}|[089][0-9]{6}|0[0-9]{7}|(?:[89][0-9]|0[0-4]) [0-9]{5}"
        r"|(?:20[0-4][0-9]|[0-9]{2})-[0-9]{5,6}|[0-9]{2}/[0-9]{2} [0-9]{3}|20[0-4][0-9] [0-9]{6}",
        r"[0-9] [0-9]{3} [0-9]{3}",
        r"(?:19[789][0-9]|20[0-4][0-9]|[0-9]{2})/ ?[0-9]{5,6}",
    ),
    "DE": (
        rf"(?:[PG][ .])?(?:{_DE_GROUPS}|{_THREE}|[12]0(?:19|20)[0-9]{{8}}|[0-9]{{7,8}}){_CHECK_DIGIT}",
        f"{_TWO}|[0-9]{{5,6}}",
        f"(?:{_DE_GROUPS}|{_THREE}){_CHECK_DIGIT}",
    ),
    "FR": (f"{_THREE}|[0-9]{{7}}|[0-9]{{4}} [0-9]{{3}}", f"{_TWO}|[0-9]{{5,6}}", _THREE),
    "GB": (f"{_THREE}|[0-9]{{7}}", f"{_TWO}|[0-9]{{5,6}}|[0-9]{{1,5}}/1[89][0-9]{{2}}", _THREE),
    "JP": (
        (
            rf"{_JP_DIVIDED}|{_THREE}|[0-9]{{2}} [0-9]{{3}} [0-9]{{3}}|(?:20[0-9]{{2}}|[0-9]{{1,2}}) [0-9]{{5,6}}"
            r"|[0-9]{2,3} [0-9]{2} [0-9]{3}|20 0[0-9]{6}|1 [01] [0-9]{6}"
            r"|(?:[HS]|[Hh]ei ?|[Ss]ho ?|HEI ?|SHO ?)[0-9]{2} ?[0-9]{5,6}|[0-9]{7,8}|20[0-9]{7,8}"
        ),
        _JP_ERA + r"[0-9]{1,4}-[0-9]{1,6}",
        _JP_DIVIDED,
    ),
    "KR": (
        r"[12]0-[0-9]{4}-[0-9]{7}|[12]0-[0-9]{7}|(?:19|20)[0-9]{2}-?[0-9]{7}|10[0-9]{7}",
        r"[0-9]{7}",
        r"[12]0-[0-9]{4}-[0-9]{7}",
    ),
    "ZA": (r"(?:(?:19|20)?[0-9]{2})/[0-9]{4,5}|[0-9]{6,7}|20[0-9]{7}", r"[0-9]{6}", r"[0-9]{2}/[0-9]{4}"),
    "CN": (r"[0-9]{9}|[0-9]{7}", r"8[5-8][0-9]{6}", r"[0-9]{9}"),
}
"""The forms of the numbers of each office: those that are sure, those that are likely, and those of a list."""


@cache
def _number_patterns(country: str) -> _NumberPatterns:
    """The patterns of an office, compiled when it is first mentioned; each ends where a number ends."""
    sure, likely, listed = _OFFICE_FORMS.get(country, _GENERAL_FORMS)
    return _NumberPatterns(*(re.compile(f"(?:{form}){_END}") for form in (sure, f"{sure}|{likely}", listed)))


_FULL_KIND = r"A[1-9l]|B[1-9l]|C[1-5]|U[1-9l]|T[1-5]|E[1-9]|S1|P[1-4]|Y[1-3]"
_FOLLOWING_WORDS = r"(?:and|or|und|oder|et|ou|sowie|bzw|is|are|ist|est|of|in|to|by|which|the|der|die|das|le|la)"
_KIND = re.compile(
    rf" ?\(({_FULL_KIND}|[A-EUYST])\)| ?-? ?({_FULL_KIND})(?![A-Za-z0-9])|([A-EUYST])(?![A-Za-z0-9])"
    rf"|(?: ?- ?| )(?:([BCUY])(?![A-Za-z0-9'’.])|(A)(?![A-Za-z0-9'’])(?! (?!{_FOLLOWING_WORDS} )[A-Za-z]))"
)
"""A kind after the number; an isolated A may be the article of the following words."""
_LIST_SEPARATOR = re.compile(
    r" ?(?:\([^()]{0,60}\) ?)?(?:,? ?(?:(?:issued|granted|assigned) )?(?:to|by|of) [A-Z][^0-9;]{0,60}?)?"
    r" ?(?:[,;/&]|(?<= )(?:and|or|und|oder|et|ou|sowie|bzw\.?|y|as well as)(?= ))"
    r" ?(?:(?:and|or|und|oder|et|ou|sowie|also|to|y) )?(?:[Nn]os?\.? ?)?"
    r"(?=[0-9]|(?:RE|Re|D|Des|DES|PP|H|S|P|HEI|SHO|[Hh]ei|[Ss]ho)[. \-]{0,2}[0-9])"
)
"""What separates the numbers of a list, including the names of patentees."""


# Reading

_ASCII_FORMS = {
    **dict.fromkeys(map(ord, "\t\n\r\f\v\u00a0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u3000"), " "),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u2044\u2215\uff0f"), "/"),
    **{0xFF10 + digit: str(digit) for digit in range(10)},
}
"""Characters that replace an ASCII one, one for one, so that positions in the text do not change."""
_KIND_BEFORE = re.compile(
    r"(?:[ \-.]{1,2}|(?<=EP)|(?<=WO))(?:(OS|AS|PS|GM|G[Bb]m)|([ABCTUY])([1-9l]?))"
    r"(?:[ .\-]{1,3}|(?=[0-9]{5}))(?=[A-Z0-9])"
)
_GERMAN_KINDS = {"OS": "A", "AS": "B", "PS": "C", "GM": "U", "GBM": "U"}
_APPLICATION = re.compile(_US_APPLICATION)
_SPACES = re.compile(r"  +")
_DIGITS = re.compile(r"[0-9](?:[ ,.'/\-]{0,3}[0-9]){4,}+")
"""A number has at least five digits; searching for these first is twenty times as fast."""
_MAX_ANNOUNCEMENT_LENGTH, _LOOK_AHEAD = 200, 40
"""No announcement is longer; none extends farther into the number."""
_DIGIT = re.compile(r"[0-9]")
_GROUP_MARKS = re.compile(r"[,. ']")
_JAPANESE_ERA = re.compile(r"\A(?i:([HS])(?:EI(?:SEI)?|HO(?:WA)?))[. ,\-]*")
_PLAIN_DIGITS = {"US", "EP", "FR", "GB"}
_CODE_GROUPS = {"code", "US"}
_PATENT_WORDS = {"patent", "published", "laid_open", "examined", "model", "filed", "design", "reissue"}
_PUBLICATION_WORDS = {"published", "laid_open", "examined"}
_SAME_FORM_OFFICES = {"JP", "KR", "CN", "WO"}
"""Offices whose application numbers have the form of publication numbers."""


@dataclass(frozen=True, slots=True)
class _Mention:
    """A patent number in a text: `text[start:end]` is its written form, including the announcement."""

    number: PatentNumber
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Announcement:
    """What precedes a number: the office, and what the words say about the document."""

    country: str
    says: frozenset[str]
    kind: str | None
    sure: bool
    """Whether only a number of that office can follow."""
    start: int
    end: int


def numbers_in(text: str, *, language: str = "") -> list[_Mention]:
    """The patent numbers in a running text, in order, repetitions included.

    A number without an office («Pat. No. 5,123,456») is American if the `language` is English or unknown.
    """
    plain, starts, removed = _collapse_spaces(text.translate(_ASCII_FORMS))
    found: list[_Mention] = []
    position = 0
    for digits in _DIGITS.finditer(plain):
        position = max(position, digits.start() - _MAX_ANNOUNCEMENT_LENGTH)
        while (
            position < digits.start()
            and (head := _HEAD.search(plain, position, digits.start() + _LOOK_AHEAD)) is not None
        ):
            if head.start() >= digits.start():
                break
            before = len(found)
            found.extend(_read_mentions(plain, _read_announcement(plain, head, language)))
            position = found[-1].end if len(found) > before else head.end()
        position = max(position, digits.start())

    def original(position: int) -> int:
        return position + removed[bisect_right(starts, position) - 1]

    return [_Mention(each.number, original(each.start), original(each.end - 1) + 1) for each in found]


def _collapse_spaces(text: str) -> tuple[str, list[int], list[int]]:
    """Reduce every run of spaces to one: files break and indent lines within numbers.

    Returned with the way back to the original text: from `starts[i]` on, `removed[i]` characters are missing.
    """
    starts, removed, parts = [0], [0], []
    end = 0
    for run in _SPACES.finditer(text):
        parts.append(text[end : run.start() + 1])
        end = run.end()
        removed.append(removed[-1] + end - run.start() - 1)
        starts.append(end - removed[-1])
    parts.append(text[end:])
    return "".join(parts), starts, removed


def _read_announcement(text: str, head: re.Match[str], language: str) -> _Announcement | None:
    """Read the office and the words after it; None if they do not concern patents."""
    name = str(head.lastgroup)
    if name == "filed":
        return None
    if name == "era":  # it is part of the number
        return _Announcement("JP", frozenset(), None, True, head.start(), head.start())
    says, kind, position = _read_words(text, head.end(), coded=name in _CODE_GROUPS)
    country = "US" if name == "bare" else head[0].replace("W0", "WO") if name == "code" else name[-2:]
    if head[0] in {"WO", "W0"}:  # WO numbers are publications; applications have PCT
        says -= {"filed", "serial"}
    about = kind is not None or not says.isdisjoint(_PATENT_WORDS)
    if name == "bare":
        about = language in {"", "en"}
    elif name not in _CODE_GROUPS:
        about = about or _follows_patent_word(text, head.start())
    if not about and name not in _CODE_GROUPS:
        return None
    return _Announcement(country, says, kind, about, head.start(), position)


def _follows_patent_word(text: str, position: int) -> bool:
    return _PATENT_WORD_BEFORE.search(text, max(0, position - _LOOK_BACK), position) is not None


def _read_words(text: str, position: int, *, coded: bool) -> tuple[frozenset[str], str | None, int]:
    """Read the words of an announcement: their meanings, a leading kind, and where the number would begin."""
    says = set()
    kind = None
    if coded and (prefix := _KIND_BEFORE.match(text, position)) is not None:
        kind = _GERMAN_KINDS[prefix[1].upper()] if prefix[1] else prefix[2] + prefix[3].replace("l", "1")
        position = prefix.end()
    for _ in range(_MAX_WORDS):
        gap = _GAP.match(text, position)
        position = gap.end() if gap is not None else position
        word = _WORD.match(text, position)
        if word is None:
            break
        says.add(str(word.lastgroup))
        position = word.end()
    return frozenset(says), kind, position


def _read_mentions(text: str, announcement: _Announcement | None) -> Iterator[_Mention]:
    """Read the numbers after an announcement: the first, and those of a list that follow."""
    if announcement is None:
        return
    writing = _number_patterns(announcement.country)
    form = writing.likely if announcement.sure else writing.sure
    start = announcement.start
    found = form.match(text, announcement.end)
    if found is None and (found := writing.likely.match(text, announcement.end)) is not None:
        suffix = _KIND.match(text, found.end())  # as in `EP 88 968 A1`
        if suffix is None and not _follows_patent_word(text, announcement.start):
            return
    while found is not None:
        mention = _read_mention(text, announcement, found, start)
        if mention is None:
            return
        yield mention
        found = _next_in_list(text, mention.end, writing, form, _shape_of(found[0]))
        start = found.start() if found is not None else 0


def _shape_of(written: str) -> str:
    """The form of a number, with its digits replaced by zeros."""
    return _DIGIT.sub("0", written)


def _next_in_list(
    text: str, position: int, writing: _NumberPatterns, form: re.Pattern[str], last: str
) -> re.Match[str] | None:
    """The next number of a list: in one of the office's unambiguous forms, or of the same shape as the previous one.

    Where a source dropped the commas, «7 454 053 7 324 682», only the shape shows that the list continues.
    """
    between = _LIST_SEPARATOR.match(text, position)
    if between is not None:
        position = between.end()
        if (found := writing.listed.match(text, position)) is not None:
            return found
    elif " " in last and text[position : position + 1] == " ":
        position += 1
    else:
        return None
    found = form.match(text, position)
    return found if found is not None and _shape_of(found[0]) == last else None


def _read_mention(text: str, announcement: _Announcement, found: re.Match[str], start: int) -> _Mention | None:
    """Read a number in the text; None if the words say that it is not a publication."""
    country, says = announcement.country, announcement.says
    if not _is_publication(country, says, found[0]):
        return None
    end = found.end()
    kind = announcement.kind
    if (suffix := _KIND.match(text, end)) is not None:
        kind = str(suffix[suffix.lastindex or 0]).replace("l", "1")
        end = suffix.end()
    written = _GROUP_MARKS.sub("", found[0]) if country in _PLAIN_DIGITS else _JAPANESE_ERA.sub(r"\1", found[0])
    if country == "US" and written[0].isdigit():
        written = ("RE" if "reissue" in says else "D" if "design" in says else "") + written
    kinds = _possible_kinds(country, says) if kind is None else (kind, None) if country == "US" else (kind,)
    for each in kinds:
        number = PatentNumber.of(country, written, each)
        if number is not None:
            return _Mention(number, start, end)
    return None


def _is_publication(country: str, says: frozenset[str], written: str) -> bool:
    """Whether a number is that of a publication: for an application, the words or the form must say so."""
    if country == "US":
        return _APPLICATION.match(written) is not None or says.isdisjoint({"filed", "serial"})
    if says.isdisjoint({"filed", "serial"}):
        return True
    return not says.isdisjoint(_PUBLICATION_WORDS) or country not in _SAME_FORM_OFFICES


def _possible_kinds(country: str, says: frozenset[str]) -> tuple[str | None, ...]:
    """The kinds compatible with the words, the likeliest first.

    «Japanese Patent Publication» translates the name of the examined application; «Laid-Open», «Unexamined» and
    «Application Publication» translate that of the laid-open one.
    """
    if country == "DE" and "model" in says:
        return ("U",)
    if country != "JP":
        return (None,)
    laid_open = "laid_open" in says or "filed" in says
    if "model" in says:
        return ("Y",) if "examined" in says or ("published" in says and not laid_open) else ("U",)
    if "examined" in says or ("published" in says and not laid_open):
        return ("B", None)
    return (None,)
