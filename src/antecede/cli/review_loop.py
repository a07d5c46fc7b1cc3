"""The terminal loop of a review: shows the next document, takes an answer, and saves it before it goes on."""

from __future__ import annotations

import getpass
import shutil
import sys
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from antecede.cli.output import show_page, show_text
from antecede.errors import UsageError, printable

if TYPE_CHECKING:
    from antecede.patent import Patent
    from antecede.query.query import Query
    from antecede.review.case import NextDocument, Review
    from antecede.search.passages import Passage

LETTERS = {"r": "relevant", "m": "maybe", "n": "not"}
HELP = "r relevant · m maybe · n not relevant · s later · b back · q quit; a note may follow the letter"
BACK, LATER, QUIT = "b", "s", "q"


def parse_relevance(text: str) -> str:
    """`relevant`, `maybe` or `not`, from the word or its first letter."""
    word = text.strip().lower()
    if word not in {*LETTERS, *LETTERS.values()}:
        raise UsageError(f"{printable(text)!r} is not a relevance; write relevant, maybe or not, or r, m or n")
    return LETTERS.get(word, word)


def parse_claims(text: str | None) -> str:
    """The numbers of claims, as in `1,3-5`, checked."""
    parts = (text or "").split(",") if text else []
    for part in parts:
        first, dash, last = part.strip().partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not dash)) or len(part) > 12:
            raise UsageError(f"--claims: {printable(part.strip())!r} is not a claim; write them as in 1,3-5")
        end = int(last) if dash else int(first)
        if not int(first) <= end <= int(first) + 1000:
            raise UsageError(f"--claims: {printable(part.strip())!r} is not a range of claims; write it as in 3-5")
    return ",".join(part.strip() for part in parts)


def current_user(given: str | None) -> str:
    """Who marks: as given, or the name of the login."""
    if given is not None:
        return given
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


class DocumentTexts:
    """What is shown of documents: their titles and best passages where the review has an index, else their ids."""

    def __init__(self, review: Review, passages: int) -> None:
        self.review, self.index, self.passages = review, review.opened_index, passages

    @cached_property
    def queries(self) -> list[Query]:
        """The queries that passages are chosen by."""
        from antecede.query.query import Query, count_terms

        weights: dict[str, dict[str, float]] = {}
        searches = self.review.searches
        for term in searches[-1].facts["terms"] if searches else ():
            weights.setdefault(term["language"], {})[term["term"]] = term["weight"]
        if weights:
            return [Query.from_terms(terms, language) for language, terms in weights.items()]
        return [
            Query.from_terms(count_terms(self.review.index.analyzer(language).terms(text)), language)
            for text in self.review.plan.texts.values()
            for language in self.review.index.languages
        ]

    def describe(self, document: NextDocument) -> dict[str, Any]:
        """A document with its title, date, classes and best passages, in a JSON-compatible form."""
        facts, title = asdict(document), self.review.title(document.doc_id)
        from antecede.engine import find_patent

        if self.index is None:
            return {**facts, "title": title} if title else facts
        patent = find_patent(self.index, document.doc_id)
        return {
            **facts,
            "title": next(iter(patent.title.values()), ""),
            "date": str(patent.publication_date) if patent.publication_date is not None else None,
            "ipc": list(patent.ipc),
            "passages": [passage.to_dict() for passage in self._best_passages(patent)],
        }

    def show(self, document: NextDocument) -> None:
        """Print a document."""
        from antecede.engine import find_patent
        from antecede.report.terminal_text import render_document

        width, title = shutil.get_terminal_size((100, 24)).columns, self.review.title(document.doc_id)
        patent = find_patent(self.index, document.doc_id) if self.index is not None else None
        passages = self._best_passages(patent) if patent is not None else []
        show_page(render_document(document, patent, passages, title=title, width=width, bold=sys.stdout.isatty()))

    def _best_passages(self, patent: Patent) -> list[Passage]:
        """The best passages of a document, in the language of the query that fits it best."""
        from antecede.search.passages import Passages

        every = (
            Passages(self.review.index, patent, query.language).find_best(query, self.passages)
            for query in (self.queries if self.passages else ())
        )
        return max(every, key=lambda passages: sum(passage.score for passage in passages), default=[])


def ask_marks(review: Review, passages: int, user: str | None) -> None:
    """Show one document after the other, and save each answer before the next."""
    from antecede.review.versions import ChangedMeanwhileError

    texts = DocumentTexts(review, passages)
    who = current_user(user)
    later: list[str] = []
    again: str | None = None
    show_text(HELP)
    while True:
        document = _show_again(review, again) if again is not None else _choose_next(review, later)
        if document is None:
            break
        texts.show(document)
        shown_version = review.version
        answer = _read_answer()
        if answer is None or answer[0] == QUIT:
            break
        letter, note = answer
        again = None
        if letter == LATER:
            later.append(document.doc_id)
        elif letter == BACK and not len(review.marks):
            show_text("nothing is marked yet")
        elif letter == BACK:
            again = str(review.marks[-1].doc_id)
        else:
            before = review.marks.current.get(document.doc_id)
            try:
                review.store.change_mark(
                    review.id,
                    document.doc_id,
                    who,
                    shown_version,
                    relevance=LETTERS[letter],
                    note=note,
                    query=document.shown_by,
                    rank=document.rank,
                    title=review.title(document.doc_id),
                )
            except ChangedMeanwhileError as error:
                show_text(f"{error}; answer again to replace it")
                again = document.doc_id
                continue
            changed = f" (was {before.relevance})" if before is not None and before.relevance != LETTERS[letter] else ""
            show_text(f"saved: {document.doc_id} {LETTERS[letter]}{changed}; {describe_counts(review)}")
            sys.stdout.flush()
    left = f", {len(later)} postponed" if later else ""
    show_text(f"of {review.reading().documents} documents {describe_counts(review)}{left}")
    if not review.unread:
        show_text("everything is read")


def _choose_next(review: Review, later: list[str]) -> NextDocument | None:
    """The next document that was not postponed; then those that were."""
    for without in (later, ()):
        if documents := review.next(without=without):
            return documents[0]
        later.clear()
    return None


def _show_again(review: Review, doc_id: str) -> NextDocument:
    """A document that was marked already."""
    from antecede.review.case import NextDocument

    mark = review.marks.current[doc_id]
    return NextDocument(doc_id, len(review.marks.current), None, mark.query or "mark", mark.rank or 1)


def _read_answer() -> tuple[str, str] | None:
    """A letter and a note; None at the end of the input."""
    while True:
        show_text("r/m/n/s/b/q> ", end="")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            show_text("")
            return None
        letter, _, note = line.strip().partition(" ")
        if letter.lower() in {*LETTERS, BACK, LATER, QUIT}:
            return letter.lower(), note.strip()
        show_text(f"{printable(letter)!r} is not an answer: {HELP}")


def describe_counts(review: Review) -> str:
    """What is read, by relevance; maybe is named where there is one."""
    counts = review.marks.counts
    maybe = f", {counts['maybe']} maybe" if counts["maybe"] else ""
    return f"{sum(counts.values())} read, {counts['relevant']} relevant{maybe}"
