"""The year of publication that some numbers begin with.

Published US applications, international applications, and Japanese applications and examined publications are numbered
anew each year. Numbers of other offices have no year, or that of filing, which is not the one in question.
"""

from __future__ import annotations

import re

US = re.compile(r"US(2[0-9]{3})[0-9]{7}\Z")
WO = re.compile(r"WO((?:19|20)[0-9]{2})[0-9]{6}\Z")
JP = re.compile(r"JP[BUY]?(?:([SH])([0-9]{2})|((?:19|20)[0-9]{2}))[0-9]{6}\Z")
ERAS = {"S": 1925, "H": 1988}
"""The years before the first of each era."""


def publication_year(key: str) -> int | None:
    """The year in a number in normal form.

    >>> publication_year("US20040046892"), publication_year("WO1998012345"), publication_year("JPH10000001")
    (2004, 1998, 1998)
    >>> publication_year("EP1000000") is None
    True
    """
    if (found := US.match(key) or WO.match(key)) is not None:
        return int(found[1])
    if (found := JP.match(key)) is not None:
        return int(found[3]) if found[3] else ERAS[found[1]] + int(found[2])
    return None
