"""The scores of the 48 runs of CLEF-IP 2009, as printed in table 4 of the paper that brought PRES.

W. Magdy and G. J. F. Jones: PRES: a score metric for evaluating recall-oriented information retrieval
applications. SIGIR 2010, table 4. 15 groups, 400 topics, lists of up to 1,000 documents.
The runs themselves are not public, and the paper does not say which run is whose.
"""

from __future__ import annotations

from typing import NamedTuple

DEPTH = 1000
"""Documents per list, and the cut-off of all three measures."""


class Row(NamedTuple):
    """One run: mean average precision, mean recall and mean PRES, to three digits."""

    run: str
    map: float
    recall: float
    pres: float


TABLE_4: tuple[Row, ...] = (
    Row("R01", 0.077, 0.530, 0.434),
    Row("R02", 0.087, 0.617, 0.499),
    Row("R03", 0.084, 0.609, 0.497),
    Row("R04", 0.053, 0.219, 0.213),
    Row("R05", 0.000, 0.020, 0.011),
    Row("R06", 0.000, 0.016, 0.009),
    Row("R07", 0.000, 0.012, 0.007),
    Row("R08", 0.000, 0.016, 0.009),
    Row("R09", 0.071, 0.454, 0.369),
    Row("R10", 0.088, 0.533, 0.430),
    Row("R11", 0.087, 0.489, 0.404),
    Row("R12", 0.088, 0.534, 0.430),
    Row("R13", 0.065, 0.508, 0.406),
    Row("R14", 0.068, 0.467, 0.363),
    Row("R15", 0.064, 0.434, 0.348),
    Row("R16", 0.020, 0.197, 0.148),
    Row("R17", 0.067, 0.584, 0.463),
    Row("R18", 0.033, 0.656, 0.490),
    Row("R19", 0.105, 0.600, 0.529),
    Row("R20", 0.003, 0.051, 0.040),
    Row("R21", 0.266, 0.760, 0.691),
    Row("R22", 0.028, 0.256, 0.200),
    Row("R23", 0.087, 0.728, 0.603),
    Row("R24", 0.011, 0.069, 0.054),
    Row("R25", 0.064, 0.492, 0.392),
    Row("R26", 0.084, 0.511, 0.431),
    Row("R27", 0.097, 0.514, 0.447),
    Row("R28", 0.091, 0.514, 0.442),
    Row("R29", 0.082, 0.436, 0.373),
    Row("R30", 0.092, 0.559, 0.469),
    Row("R31", 0.081, 0.568, 0.460),
    Row("R32", 0.078, 0.476, 0.391),
    Row("R33", 0.085, 0.457, 0.379),
    Row("R34", 0.082, 0.427, 0.354),
    Row("R35", 0.114, 0.572, 0.496),
    Row("R36", 0.108, 0.553, 0.480),
    Row("R37", 0.114, 0.572, 0.494),
    Row("R38", 0.107, 0.553, 0.479),
    Row("R39", 0.113, 0.575, 0.498),
    Row("R40", 0.107, 0.560, 0.483),
    Row("R41", 0.079, 0.547, 0.447),
    Row("R42", 0.103, 0.555, 0.466),
    Row("R43", 0.091, 0.575, 0.475),
    Row("R44", 0.091, 0.574, 0.474),
    Row("R45", 0.106, 0.616, 0.507),
    Row("R46", 0.102, 0.611, 0.504),
    Row("R47", 0.104, 0.589, 0.484),
    Row("R48", 0.102, 0.587, 0.484),
)
