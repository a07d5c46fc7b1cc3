"""The words by which running text announces a patent number: whose it is, and what kind of document.

English, German and French, as descriptions have them: «U.S. Pat. Nos.», «die deutsche Offenlegungsschrift», «brevet
européen n°». What follows the words is the business of `citation_numbers`.
"""

from __future__ import annotations

import re

LARGE = "US EP WO DE FR GB JP"
SMALL = "CH AT NL BE CA AU SE ES IT SU RU DD CN KR DK FI NO TW BR ZA IL HU PL CZ IE LU PT NZ IN EA DT UK"
"""Codes that descriptions put before a number. Sequence databases have numbers that look like those of the small ones
closed up (`BE908217`), so that these want a blank or a dash."""

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
"""An office by name; such a word alone says nothing, so that a word for patents must stand by it."""

AMERICAN = r"U\. ?S\. ?A\.|U\. ?S[.,]?(?: ?P\.)?|USPN?(?![A-Za-z])|USA"
BEHIND_SMALL = r" |-(?![0-9]{3},)|[0-9]{6,9} ?[ABC][1-9]?(?![A-Za-z0-9])"
BARE = (
    r"[Pp]at(?:ent)?s?\.? ?(?=[Nn](?:o|um))"
    r"|[Pp]ublications?(?= ?(?:[Nn](?:os?|umbers?)\.? ?)?20[0-4][0-9] ?[/\-] ?[0-9]{7}(?![0-9]))"
)
"""A number of which it is not said whose: American, by its form."""
ERA = r"(?:HEI(?:SEI)?|Hei(?:sei)?|SHO(?:WA)?|Sho(?:wa)?)(?=[. \-]{0,2}[0-9]{1,2}-[0-9]{4,6})"
FILED = r"PCT ?[/7\-]? ?(?!W[O0])[A-Z]{2} ?-?(?:[0-9]{2,4} ?[/ ] ?[0-9]{3,7}|(?:19|20)[0-9]{7,8})"
HEAD = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    rf"(?P<filed>{FILED})|(?P<US>{AMERICAN})|"
    rf"(?P<code>{LARGE.replace(' ', '|')}|W0(?=[0-9 \-])|(?:{SMALL.replace(' ', '|')})(?={BEHIND_SMALL}))(?![a-z])|"
    + "|".join(f"(?P<n{country}>{words})(?![A-Za-zäöüéèß])" for country, words in NATIONS.items())
    + rf"|(?P<bare>{BARE})|(?P<era>{ERA}))"
)
"""Where an announcement may begin: a code, a nation, a patent's number without either, a Japanese era; and whole
numbers of international applications, so that no code is seen within them."""

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
"""What stands between the office and the number, and what each word says of the document."""
WORD = re.compile("|".join(f"(?P<{says}>{words})" for says, words in WORDS.items()), re.IGNORECASE)
GAP = re.compile(r"[ .,:;()°º/\-\"“”]{0,4}")
MOST_WORDS = 12
BEFORE = re.compile(
    r"(?:patente?s?|brevets?|demandes?|schrift(?:en)?|anmeldung(?:en)?|specifications?|documents?|publications?)"
    r"[\w ’'\-]{0,24}\Z",
    re.IGNORECASE,
)
"""A word for patents that stands before the office, as in French: «brevet européen n°»."""
LOOK_BACK = 50
