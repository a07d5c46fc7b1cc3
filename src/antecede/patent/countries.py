"""The two-letter codes under which patents are published: WIPO Standard ST.3, its dead codes included."""

from __future__ import annotations

STATES = (
    "AD AE AF AG AI AL AM AN AO AR AT AU AW AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BT BV BW BY BZ "
    "CA CD CF CG CH CI CK CL CM CN CO CR CU CV CW CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FO FR "
    "GA GB GD GE GG GH GI GL GM GN GQ GR GS GT GW GY HK HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP "
    "KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG MK ML MM MN MO MP MR MS MT MU "
    "MV MW MX MY MZ NA NE NG NI NL NO NP NR NZ OM PA PE PG PH PK PL PT PW PY QA RO RS RU RW SA SB SC SD SE SG SH SI "
    "SK SL SM SN SO SR SS ST SV SY SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VN VU WS "
    "YE ZA ZM ZW"
)
OFFICES = "AP BX EA EM EP GC IB OA QZ WO XN XV"
"""Regional and international: ARIPO, Benelux, Eurasia, EU, EPO, the Gulf, WIPO twice, OAPI, CPVO, Nordic, Visegrad."""
GONE = "CS DD DL DT RH SU TP UK VD YD YU ZR"
"""States that are no more; their patents are still cited. DT and RH were codes of DE and ZW until 1978."""

COUNTRIES = frozenset(STATES.split()) | frozenset(OFFICES.split()) | frozenset(GONE.split())
RENAMED = {"DT": "DE", "DL": "DD", "RH": "ZW", "UK": "GB"}
"""Codes of before 1978 for an office that goes on under another; UK never was one, and stands in many files."""
