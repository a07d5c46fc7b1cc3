"""The page of the measures, grouped by purpose: `docs/measures.md`."""

from __future__ import annotations

import re

from antecede.measures.names import LISTING

PURPOSES = {
    "How much is found, and how early": ("PRES", "PRESest", "R", "Rnorm", "F", "Fprime"),
    "How good is the top of the list": (
        *("AP", "GMAP", "nDCG", "nDCGrel", "Rndcg", "RR", "RBP", "ERR", "P", "RelP", "Rprec", "Success"),
        *("IPrec", "IPrec11", "BinG", "G", "SetAP"),
    ),
    "How much must be read, and what does it cost": (
        *("Effort", "WSS", "TarWSS", "TNR", "LastRel", "TotalCost", "LossE", "LossR", "LossER", "Utility"),
    ),
    "What if judgements are missing": ("Bpref", "GMBpref", "infAP", "RBPresidual", "Judged", "Unjudged"),
    "Counts": ("NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet"),
}
"""What a reader wants to know, and the measures that answer it, the usual ones first."""


def measures_manual() -> str:
    """The page: an overview by purpose, and the measures in that order."""
    head, *parts = re.split(r"^(?=## )", LISTING.as_manual(), flags=re.MULTILINE)
    sections = {part[3:].partition("\n")[0].strip(): part for part in parts}
    rows = [
        f"| {purpose} | {', '.join(f'[{name}](#{name.lower()})' for name in names)} |"
        for purpose, names in PURPOSES.items()
    ]
    overview = "\n".join(["| what you want to know | measures |", "|---|---|", *rows])
    known = [name for names in PURPOSES.values() for name in names if name in sections]
    others = [name for name in sections if name not in known]
    ordered = [sections[name].rstrip() for name in [*known, *others]]
    return "\n\n".join([head.rstrip(), overview, *ordered]) + "\n"
