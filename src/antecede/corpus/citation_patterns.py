"""Patterns of patent numbers in running text: the words that announce a number, and the forms of the number itself.

The words are English, German and French, as descriptions use them: «U.S. Pat. Nos.», «die deutsche
Offenlegungsschrift», «brevet européen n°». The forms of the numbers differ per office.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LARGE = "US EP WO DE FR GB JP"
SMALL = "CH AT NL BE CA AU SE ES IT SU RU DD CN KR DK FI NO TW BR ZA IL HU PL CZ IE LU PT NZ IN EA DT UK"
"""Codes that descriptions put before a number. Sequence databases contain numbers that look like those of the small
offices without a space (`BE908217`), so these require a space or a dash."""

GERMAN = r"(?:e[nrsm]?)?"
"""The endings of a German adjective."""
NATIONS = {
    "US": rf"United States(?: of America)?|UNITED STATES|(?:US-?)?amerikanisch{GERMAN}|am[ée]ricaine?s?|American"
    r"|[ÉE]tats[- ]Unis(?: d['’]Am[ée]rique)?",
    "EP": rf"[Ee]uropean|Eur(?=\. ?Pat)|EUROPEAN|EPO|[Ee]urop(?:ä|ae)isch{GERMAN}|[Ee]urop[ée]en(?:ne)?s?|[Ee]urope?a",
    "DD": rf"East[- ]German|ostdeutsch{GERMAN}",
    "DE": rf"(?:West[- ])?Germany?|GERMAN|[Dd]eutsch{GERMAN}|[Aa]llemande?s?",
    "FR": rf"French|FRENCH|France|[Ff]ranz(?:ö|oe)sisch{GERMAN}|[Ff]ran[çc]aise?s?",
    "GB": rf"British|BRITISH|Great Britain|United Kingdom|U\. ?K\.|[Bb]ritisch{GERMAN}|[Bb]ritanniques?|[Aa]nglaise?s?"
    rf"|[Ee]nglisch{GERMAN}",
    "JP": rf"Japanese|Jpn|JAPANESE|Japan|[Jj]apanisch{GERMAN}|[Jj]aponaise?s?|[Jj]aponesa",
    "WO": r"International|INTERNATIONAL|PCT(?!/)|World|WIPO|[Ii]nternationale[nrsm]?|international",
    "CH": rf"Swiss|[Ss]chweizer(?:isch{GERMAN})?|[Ss]uisses?",
    "AT": rf"Austrian|[Öö]sterreichisch{GERMAN}|[Aa]utrichien(?:ne)?s?",
    "NL": rf"Dutch|Netherlands?|[Nn]iederl(?:ä|ae)ndisch{GERMAN}|[Nn][ée]erlandaise?s?",
    "BE": rf"Belgian|[Bb]elgisch{GERMAN}|[Bb]elges?",
    "CA": rf"Canadian|[Cc]anadien(?:ne)?s?|[Kk]anadisch{GERMAN}",
    "AU": rf"Australian|[Aa]ustralisch{GERMAN}",
    "SE": rf"Swedish|[Ss]chwedisch{GERMAN}|[Ss]u[ée]dois(?:es?)?",
    "ES": rf"Spanish|[Ss]panisch{GERMAN}|[Ee]spañola|[Ee]spagnole?s?",
    "IT": rf"Italian|[Ii]talienisch{GERMAN}|[Ii]talien(?:ne)?s?",
    "SU": r"Soviet|USSR|UdSSR|URSS",
    "RU": rf"Russian|[Rr]ussisch{GERMAN}|[Rr]usses?",
    "CN": rf"Chinese|[Cc]hinesisch{GERMAN}|[Cc]hinoise?s?",
    "KR": rf"Korean?|[Kk]oreanisch{GERMAN}|[Cc]or[ée]en(?:ne)?s?",
    "DK": rf"Danish|[Dd](?:ä|ae)nisch{GERMAN}|[Dd]anoise?s?",
    "FI": rf"Finnish|[Ff]innisch{GERMAN}",
    "NO": rf"Norwegian|[Nn]orwegisch{GERMAN}",
    "TW": r"Taiwan(?:ese)?",
    "ZA": r"South[- ]African?",
}
"""Offices by name. Such a word alone is not evidence: a word for patents must be next to it."""

AMERICAN = r"U\. ?S\. ?A\.|U\. ?S[.,]?(?: ?P\.)?|USPN?(?![A-Za-z])|USA"
AFTER_SMALL = r" |-(?![0-9]{3},)|[0-9]{6,9} ?[ABC][1-9]?(?![A-Za-z0-9])"
UNNAMED_OFFICE = (
    r"[Pp]at(?:ent)?s?\.? ?(?=[Nn](?:o|um))"
    r"|[Pp]ublications?(?= ?(?:[Nn](?:os?|umbers?)\.? ?)?20[0-4][0-9] ?[/\-] ?[0-9]{7}(?![0-9]))"
)
"""A number without an office: American, by its form."""
JAPANESE_ERA_HEAD = r"(?:HEI(?:SEI)?|Hei(?:sei)?|SHO(?:WA)?|Sho(?:wa)?)(?=[. \-]{0,2}[0-9]{1,2}-[0-9]{4,6})"
PCT_APPLICATION = r"PCT ?[/7\-]? ?(?!W[O0])[A-Z]{2} ?-?(?:[0-9]{2,4} ?[/ ] ?[0-9]{3,7}|(?:19|20)[0-9]{7,8})"
HEAD = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    rf"(?P<filed>{PCT_APPLICATION})|(?P<US>{AMERICAN})|"
    rf"(?P<code>{LARGE.replace(' ', '|')}|W0(?=[0-9 \-])|(?:{SMALL.replace(' ', '|')})(?={AFTER_SMALL}))(?![a-z])|"
    + "|".join(f"(?P<n{country}>{words})(?![A-Za-zäöüéèß])" for country, words in NATIONS.items())
    + rf"|(?P<bare>{UNNAMED_OFFICE})|(?P<era>{JAPANESE_ERA_HEAD}))"
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
WORD = re.compile("|".join(f"(?P<{says}>{words})" for says, words in WORDS.items()), re.IGNORECASE)
GAP = re.compile(r"[ .,:;()°º/\-\"“”]{0,4}")
MOST_WORDS = 12
PATENT_WORD_BEFORE = re.compile(
    r"(?:patente?s?|brevets?|demandes?|schrift(?:en)?|anmeldung(?:en)?|specifications?|documents?|publications?)"
    r"[\w ’'\-]{0,24}\Z",
    re.IGNORECASE,
)
"""A word for patents before the office, as in French: «brevet européen n°»."""
LOOK_BACK = 50

# The numbers themselves, office by office

END = r"(?![0-9])(?![,.][0-9]{3}(?![0-9,.]))(?!\.[0-9](?![0-9]))"
"""A number ends where its digits end, unless a group of three or the check digit of an application follows."""
THREE = r"[0-9](?: ?[,.] ?|[ '])[0-9]{3}(?: ?[,.] ?|[ '])[0-9]{3}"
"""`2 123 456`, `1.234.567`, `5,123,456`, `5, 123, 456`."""
TWO = r"[0-9]{3}[,. '][0-9]{3}(?! ?[0-9])"
FIVE = r"[0-9]{2}[,. '][0-9]{3}(?! ?[0-9])"


@dataclass(frozen=True)
class NumberPatterns:
    """The forms of an office's numbers in running text."""

    sure: re.Pattern[str]
    """Forms that are a number wherever they follow the name of the office."""
    likely: re.Pattern[str]
    """Also those that are a number only after unambiguous words or a kind: six digits after «US-A-» are a patent, after
    «US» an amount."""
    listed: re.Pattern[str]
    """Forms that may follow a number in a list, whatever the form of that number."""


def compile_patterns(sure: str, likely: str, listed: str) -> NumberPatterns:
    """Compile the patterns of an office; each ends where a number ends."""
    return NumberPatterns(*(re.compile(f"(?:{each}){END}") for each in (sure, f"{sure}|{likely}", listed)))


US_APPLICATION = r"20[0-4][0-9] ?[/\- ] ?[0-9]{7}|20[0-4][0-9]0?[0-9]{6}"
US_SHORT_APPLICATION = r"20[0-4][0-9]/[0-9]{6}"
US_SCANNED = r"1?[0-9] ?, ?(?:[0-9] ?){2}[0-9] ?, ?(?:[0-9] ?){2}[0-9]"
"""With spaces that text recognition inserted after narrow digits: `5,639,61 1`."""
US_OLD_LAST = r"[0-9]{3},[0-9]{3}(?=[.;)]|\Z| to [A-Z])"
US_LETTERED = r"(?:RE|Re|D|Des|DES|PP|H)[. \-]{0,2}[0-9]{1,3}(?:, ?|[. ])?[0-9]{3}"
US_GRANT = r"1?[0-9](?: ?[,.] ?|[ '])[0-9]{3}(?: ?[,.] ?|[ '])[0-9]{3}"
WO_DIVIDED = r"(?:19[789][0-9]|20[0-4][0-9]|[0-9]{2}) ?/ ?[0-9]{5,6}|(?:19[789][0-9]|20[0-4][0-9])/[0-9]{2,3} [0-9]{3}"
JP_ERA = r"(?:(?:HEI(?:SEI)?|SHO(?:WA)?|[Hh]ei(?:sei)?|[Ss]ho(?:wa)?|H|S|P)[. ,\-]{0,2})?"
JP_DIVIDED = (
    JP_ERA + r"(?:(?:19|20)[0-9]{2}|[0-9]{1,2}) ?[\-/] ?(?:[0-9]{4,6}|[0-9]{2,3},[0-9]{3})"
    r"|[0-9]{3,6}/(?:(?:19|20)[0-9]{2}|[0-9]{2})"
)
DE_GROUPS = (
    r"[12]0 (?:19|20)[0-9]{2} [0-9]{3} [0-9]{3}|[0-9]{3} [0-9]{2} [0-9]{3}|[0-9]{2} [0-9]{2} [0-9]{3}"
    r"|[0-9]{2} [0-9]{3} [0-9]{3}"
)
CHECK_DIGIT = r"(?:\.[0-9](?![0-9]))?"

GENERAL_PATTERNS = compile_patterns(f"{THREE}|{TWO}|[0-9]{{6,9}}", f"[0-9]{{5}}|{FIVE}", THREE)
OFFICE_PATTERNS = {
    "US": compile_patterns(
        f"{US_APPLICATION}|{US_LETTERED}|{US_GRANT}|[0-9]{{2}} [0-9]{{2}} [0-9]{{3}}|1?[0-9]{{7}}|[0-9][.,][0-9]{{6}}"
        f"|{US_SCANNED}",
        f"{US_SHORT_APPLICATION}|{TWO}|{FIVE}|[0-9]{{5,6}}",
        f"{US_APPLICATION}|{US_LETTERED}|1?[0-9] ?[,.] ?[0-9]{{3}} ?[,.]? ?[0-9]{{3}}|{US_OLD_LAST}",
    ),
    "EP": compile_patterns(
        rf"{THREE}|[0-9]{{7}}|[0-9]{{4}} [0-9]{{3}}|[0-9] [0-9]{{6}}|{TWO}|[0-9]{{6}}",
        f"{FIVE}|[0-9]{{4,5}}",
        r"0[,. '][0-9]{3}[,. '][0-9]{3}|0[0-9]{6}|[1-4] [0-9]{3} [0-9]{3}",
    ),
    "WO": compile_patterns(
        WO_DIVIDED + r"|(?:19[789][0-9]|20[0-4][0-9])[0-9]{6}|[089][0-9]{6}|0[0-9]{7}|(?:[89][0-9]|0[0-4]) [0-9]{5}"
        r"|(?:20[0-4][0-9]|[0-9]{2})-[0-9]{5,6}|[0-9]{2}/[0-9]{2} [0-9]{3}|20[0-4][0-9] [0-9]{6}",
        r"[0-9] [0-9]{3} [0-9]{3}",
        r"(?:19[789][0-9]|20[0-4][0-9]|[0-9]{2})/ ?[0-9]{5,6}",
    ),
    "DE": compile_patterns(
        rf"(?:[PG][ .])?(?:{DE_GROUPS}|{THREE}|[12]0(?:19|20)[0-9]{{8}}|[0-9]{{7,8}}){CHECK_DIGIT}",
        f"{TWO}|[0-9]{{5,6}}",
        f"(?:{DE_GROUPS}|{THREE}){CHECK_DIGIT}",
    ),
    "FR": compile_patterns(f"{THREE}|[0-9]{{7}}|[0-9]{{4}} [0-9]{{3}}", f"{TWO}|[0-9]{{5,6}}", THREE),
    "GB": compile_patterns(f"{THREE}|[0-9]{{7}}", f"{TWO}|[0-9]{{5,6}}|[0-9]{{1,5}}/1[89][0-9]{{2}}", THREE),
    "JP": compile_patterns(
        rf"{JP_DIVIDED}|{THREE}|[0-9]{{2}} [0-9]{{3}} [0-9]{{3}}|(?:20[0-9]{{2}}|[0-9]{{1,2}}) [0-9]{{5,6}}"
        r"|[0-9]{2,3} [0-9]{2} [0-9]{3}|20 0[0-9]{6}|1 [01] [0-9]{6}"
        r"|(?:[HS]|[Hh]ei ?|[Ss]ho ?|HEI ?|SHO ?)[0-9]{2} ?[0-9]{5,6}|[0-9]{7,8}|20[0-9]{7,8}",
        JP_ERA + r"[0-9]{1,4}-[0-9]{1,6}",
        JP_DIVIDED,
    ),
    "KR": compile_patterns(
        r"[12]0-[0-9]{4}-[0-9]{7}|[12]0-[0-9]{7}|(?:19|20)[0-9]{2}-?[0-9]{7}|10[0-9]{7}",
        r"[0-9]{7}",
        r"[12]0-[0-9]{4}-[0-9]{7}",
    ),
    "ZA": compile_patterns(
        r"(?:(?:19|20)?[0-9]{2})/[0-9]{4,5}|[0-9]{6,7}|20[0-9]{7}", r"[0-9]{6}", r"[0-9]{2}/[0-9]{4}"
    ),
    "CN": compile_patterns(r"[0-9]{9}|[0-9]{7}", r"8[5-8][0-9]{6}", r"[0-9]{9}"),
}
FULL_KIND = r"A[1-9l]|B[1-9l]|C[1-5]|U[1-9l]|T[1-5]|E[1-9]|S1|P[1-4]|Y[1-3]"
FOLLOWING_WORDS = r"(?:and|or|und|oder|et|ou|sowie|bzw|is|are|ist|est|of|in|to|by|which|the|der|die|das|le|la)"
KIND = re.compile(
    rf" ?\(({FULL_KIND}|[A-EUYST])\)| ?-? ?({FULL_KIND})(?![A-Za-z0-9])|([A-EUYST])(?![A-Za-z0-9])"
    rf"|(?: ?- ?| )(?:([BCUY])(?![A-Za-z0-9'’.])|(A)(?![A-Za-z0-9'’])(?! (?!{FOLLOWING_WORDS} )[A-Za-z]))"
)
"""A kind after the number; an isolated A may be the article of the following words."""
LIST_SEPARATOR = re.compile(
    r" ?(?:\([^()]{0,60}\) ?)?(?:,? ?(?:(?:issued|granted|assigned) )?(?:to|by|of) [A-Z][^0-9;]{0,60}?)?"
    r" ?(?:[,;/&]|(?<= )(?:and|or|und|oder|et|ou|sowie|bzw\.?|y|as well as)(?= ))"
    r" ?(?:(?:and|or|und|oder|et|ou|sowie|also|to|y) )?(?:[Nn]os?\.? ?)?"
    r"(?=[0-9]|(?:RE|Re|D|Des|DES|PP|H|S|P|HEI|SHO|[Hh]ei|[Ss]ho)[. \-]{0,2}[0-9])"
)
"""What separates the numbers of a list, including the names of patentees."""
