"""How running text writes the number itself, office by office.

Each office has writings that are a number wherever they stand behind its name (`sure`), and writings that are one only
behind words or a kind that leave no doubt (`likely`): six digits behind «US-A-» are a patent, behind «US» an amount.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

END = r"(?![0-9])(?![,.][0-9]{3}(?![0-9,.]))(?!\.[0-9](?![0-9]))"
"""A number ends where its digits end, unless a group of three goes on or the check digit of an application."""
THREE = r"[0-9](?: ?[,.] ?|[ '])[0-9]{3}(?: ?[,.] ?|[ '])[0-9]{3}"
"""`2 123 456`, `1.234.567`, `5,123,456`, `5, 123, 456`."""
TWO = r"[0-9]{3}[,. '][0-9]{3}(?! ?[0-9])"
FIVE = r"[0-9]{2}[,. '][0-9]{3}(?! ?[0-9])"


@dataclass(frozen=True)
class Writing:
    """The numbers of an office in running text."""

    sure: re.Pattern[str]
    likely: re.Pattern[str]
    listed: re.Pattern[str]
    """What may stand in a list behind a number, whatever that one's form."""


def writing(sure: str, likely: str, listed: str) -> Writing:
    """The patterns of an office; each ends where a number ends."""
    return Writing(*(re.compile(f"(?:{each}){END}") for each in (sure, f"{sure}|{likely}", listed)))


US_APPLICATION = r"20[0-4][0-9] ?[/\- ] ?[0-9]{7}|20[0-4][0-9]0?[0-9]{6}"
US_SHORT_APPLICATION = r"20[0-4][0-9]/[0-9]{6}"
US_SCANNED = r"1?[0-9] ?, ?(?:[0-9] ?){2}[0-9] ?, ?(?:[0-9] ?){2}[0-9]"
"""With blanks that a reading machine saw behind narrow digits: `5,639,61 1`."""
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

GENERAL = writing(f"{THREE}|{TWO}|[0-9]{{6,9}}", f"[0-9]{{5}}|{FIVE}", THREE)
WRITINGS = {
    "US": writing(
        f"{US_APPLICATION}|{US_LETTERED}|{US_GRANT}|[0-9]{{2}} [0-9]{{2}} [0-9]{{3}}|1?[0-9]{{7}}|[0-9][.,][0-9]{{6}}"
        f"|{US_SCANNED}",
        f"{US_SHORT_APPLICATION}|{TWO}|{FIVE}|[0-9]{{5,6}}",
        f"{US_APPLICATION}|{US_LETTERED}|1?[0-9] ?[,.] ?[0-9]{{3}} ?[,.]? ?[0-9]{{3}}|{US_OLD_LAST}",
    ),
    "EP": writing(
        rf"{THREE}|[0-9]{{7}}|[0-9]{{4}} [0-9]{{3}}|[0-9] [0-9]{{6}}|{TWO}|[0-9]{{6}}",
        f"{FIVE}|[0-9]{{4,5}}",
        r"0[,. '][0-9]{3}[,. '][0-9]{3}|0[0-9]{6}|[1-4] [0-9]{3} [0-9]{3}",
    ),
    "WO": writing(
        WO_DIVIDED + r"|(?:19[789][0-9]|20[0-4][0-9])[0-9]{6}|[089][0-9]{6}|0[0-9]{7}|(?:[89][0-9]|0[0-4]) [0-9]{5}"
        r"|(?:20[0-4][0-9]|[0-9]{2})-[0-9]{5,6}|[0-9]{2}/[0-9]{2} [0-9]{3}|20[0-4][0-9] [0-9]{6}",
        r"[0-9] [0-9]{3} [0-9]{3}",
        r"(?:19[789][0-9]|20[0-4][0-9]|[0-9]{2})/ ?[0-9]{5,6}",
    ),
    "DE": writing(
        rf"(?:[PG][ .])?(?:{DE_GROUPS}|{THREE}|[12]0(?:19|20)[0-9]{{8}}|[0-9]{{7,8}}){CHECK_DIGIT}",
        f"{TWO}|[0-9]{{5,6}}",
        f"(?:{DE_GROUPS}|{THREE}){CHECK_DIGIT}",
    ),
    "FR": writing(f"{THREE}|[0-9]{{7}}|[0-9]{{4}} [0-9]{{3}}", f"{TWO}|[0-9]{{5,6}}", THREE),
    "GB": writing(f"{THREE}|[0-9]{{7}}", f"{TWO}|[0-9]{{5,6}}|[0-9]{{1,5}}/1[89][0-9]{{2}}", THREE),
    "JP": writing(
        rf"{JP_DIVIDED}|{THREE}|[0-9]{{2}} [0-9]{{3}} [0-9]{{3}}|(?:20[0-9]{{2}}|[0-9]{{1,2}}) [0-9]{{5,6}}"
        r"|[0-9]{2,3} [0-9]{2} [0-9]{3}|20 0[0-9]{6}|1 [01] [0-9]{6}"
        r"|(?:[HS]|[Hh]ei ?|[Ss]ho ?|HEI ?|SHO ?)[0-9]{2} ?[0-9]{5,6}|[0-9]{7,8}|20[0-9]{7,8}",
        JP_ERA + r"[0-9]{1,4}-[0-9]{1,6}",
        JP_DIVIDED,
    ),
    "KR": writing(
        r"[12]0-[0-9]{4}-[0-9]{7}|[12]0-[0-9]{7}|(?:19|20)[0-9]{2}-?[0-9]{7}|10[0-9]{7}",
        r"[0-9]{7}",
        r"[12]0-[0-9]{4}-[0-9]{7}",
    ),
    "ZA": writing(r"(?:(?:19|20)?[0-9]{2})/[0-9]{4,5}|[0-9]{6,7}|20[0-9]{7}", r"[0-9]{6}", r"[0-9]{2}/[0-9]{4}"),
    "CN": writing(r"[0-9]{9}|[0-9]{7}", r"8[5-8][0-9]{6}", r"[0-9]{9}"),
}
FULL_KIND = r"A[1-9l]|B[1-9l]|C[1-5]|U[1-9l]|T[1-5]|E[1-9]|S1|P[1-4]|Y[1-3]"
GOES_ON = r"(?:and|or|und|oder|et|ou|sowie|bzw|is|are|ist|est|of|in|to|by|which|the|der|die|das|le|la)"
KIND = re.compile(
    rf" ?\(({FULL_KIND}|[A-EUYST])\)| ?-? ?({FULL_KIND})(?![A-Za-z0-9])|([A-EUYST])(?![A-Za-z0-9])"
    rf"|(?: ?- ?| )(?:([BCUY])(?![A-Za-z0-9'’.])|(A)(?![A-Za-z0-9'’])(?! (?!{GOES_ON} )[A-Za-z]))"
)
"""A kind behind the number; an A that stands alone may be the article that begins what follows."""
BETWEEN = re.compile(
    r" ?(?:\([^()]{0,60}\) ?)?(?:,? ?(?:(?:issued|granted|assigned) )?(?:to|by|of) [A-Z][^0-9;]{0,60}?)?"
    r" ?(?:[,;/&]|(?<= )(?:and|or|und|oder|et|ou|sowie|bzw\.?|y|as well as)(?= ))"
    r" ?(?:(?:and|or|und|oder|et|ou|sowie|also|to|y) )?(?:[Nn]os?\.? ?)?"
    r"(?=[0-9]|(?:RE|Re|D|Des|DES|PP|H|S|P|HEI|SHO|[Hh]ei|[Ss]ho)[. \-]{0,2}[0-9])"
)
"""What divides the numbers of a list, the patentees' names among them."""
