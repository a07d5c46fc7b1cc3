"""The topic of a case: what prior art is wanted of, what was understood of it, and what is doubtful."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.corpus.applications import recognise_parts
from antecede.engine import read_record
from antecede.errors import InputError, UsageError, printable
from antecede.patent import Patent, PatentNumber
from antecede.query.topic import join_languages, languages_of
from antecede.review import views
from antecede.review.case import name_text
from antecede.review.records import day_text, title_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antecede.review.workbench import Workbench

HEAD = 600
SHORT_TEXT = 200
"""Characters of a text below which little can be said of it."""
MOST_NAMED = 5


def find_number(workbench: Workbench, number: str) -> Patent:
    """The patent of the index that a number in any customary spelling means."""
    index, name = workbench.index, number.strip()
    numbers = index.numbers_of(name).tolist() if name else []
    if not numbers:
        parsed = PatentNumber.parse_name(number)
        what = (
            f"{parsed} is not in this index" if parsed is not None else f"{printable(number)!r} is not a patent number"
        )
        raise InputError(what, remedy="paste the text of the application, or drop its file")
    if len(numbers) > 1:
        names = ", ".join(map(printable, index.names(np.array(numbers[:MOST_NAMED]))))
        raise InputError(
            f"{printable(number)} is the number of {len(numbers)} documents: {names}", remedy="name one of them"
        )
    return read_record(index, numbers[0])


def read_pasted(text: str, name: str | None) -> Patent:
    """A pasted text as a patent to search with; its parts are those that its headings name."""
    if not any(map(str.isalpha, text)):
        raise UsageError("there is no word in the text; paste a claim, an abstract or a whole application")
    lines = text.replace("\x00", " ").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    doc_id = "".join((name or "").split("\x00")).strip() or name_text(text)
    return recognise_parts(lines, "_".join(doc_id.split()))


def understand(workbench: Workbench, patent: Patent, source: str, notes: Iterable[str] = ()) -> views.Understood:
    """What was understood of a patent, with its whole record, and doubts, which are shown loudly."""
    languages = languages_of(patent)
    main = patent.language if patent.language in languages else next(iter(languages), "")
    description = patent.description.get(main, "") or next(iter(patent.description.values()), "")
    claims = patent.claims.get(main, ()) or next(iter(patent.claims.values()), ())
    return views.Understood(
        source=source,
        in_index=bool(len(workbench.index.numbers_of(patent.doc_id))),
        **{name: getattr(patent, name) for name in ("doc_id", "language", "ipc", "cpc", "applicants")},
        title=title_of(patent, main),
        date=day_text(patent.date),
        date_is=date_kind(patent),
        languages=list(languages),
        claims=list(claims),
        abstract=patent.abstract.get(main, "") or next(iter(patent.abstract.values()), ""),
        description_characters=len(description),
        description_head=description[:HEAD],
        doubts=[*notes, *find_doubts(workbench, patent, languages)],
        patent=patent.to_dict(),
    )


def date_kind(patent: Patent) -> str:
    """Which date decides what counts as prior art."""
    for name in ("priority", "filing", "publication"):
        if getattr(patent, f"{name}_date") is not None:
            return name
    return "none"


def find_doubts(workbench: Workbench, patent: Patent, languages: tuple[str, ...]) -> list[str]:
    """What may be wrong or is missing, one line each."""
    found: list[str] = []
    kind = date_kind(patent)
    if kind == "none":
        found.append("No date is known: documents of any date are found. Enter the priority date.")
    elif kind != "priority":
        found.append(f"The priority date is not known: the {kind} date decides what is prior art. Correct it if wrong.")
    if not patent.language:
        found.append("The language is not known; it is decided by the words. Enter it.")
    available = workbench.index.languages
    if languages and not {*languages} & {*available, ""}:
        found.append(
            f"The text is in {join_languages(languages)}, the index has documents in {join_languages(available)}: "
            "nothing can be found without a translation."
        )
    if not patent.claims:
        found.append("No claims were recognised: there is no claim chart until claims are entered.")
    if not patent.ipc and not patent.cpc:
        found.append("No class is known: classes do not count in the ranking.")
    characters = sum(len(text) for texts in (patent.description, patent.abstract) for text in texts.values())
    characters += sum(len(claim) for claims in patent.claims.values() for claim in claims)
    if characters < SHORT_TEXT:
        found.append(f"The text is short ({characters} characters): add the description if there is one.")
    return found
