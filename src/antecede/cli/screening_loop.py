"""The terminal loop of a screening: shows a record, takes one key, and saves the decision before it goes on."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from antecede.cli.output import show_page, show_text
from antecede.errors import UsageError, printable, printable_text
from antecede.review.votes import EXCLUDE, FULL_TEXT, INCLUDE, MAYBE, STAGES, UNAVAILABLE

if TYPE_CHECKING:
    from antecede.review.screening_case import ScreeningCase, ShownRecord

LETTERS = {"r": INCLUDE, "m": MAYBE, "n": EXCLUDE, "u": UNAVAILABLE}
LATER, BACK, QUIT = "s", "b", "q"
BOLD, STARS = ("\x1b[1m", "\x1b[0m"), ("*", "*")
MAX_WIDTH, MIN_WIDTH = 100, 40
LINES_OF_KEYS = 9
"""Reasons that have a key of their own; the others are typed as a number and Enter where input is read by lines."""


def parse_verdict(text: str, stage: str) -> str:
    """A decision from its word or its letter: include, maybe, exclude or unavailable; relevant and not will do."""
    word = text.strip().lower()
    named = {**LETTERS, "relevant": INCLUDE, "not": EXCLUDE, **{verdict: verdict for verdict in LETTERS.values()}}
    if word not in named or (named[word] == MAYBE and stage == FULL_TEXT):
        raise UsageError(f"{printable(text)!r} is not a decision on a {STAGES[stage]}; write include, exclude or maybe")
    return named[word]


def describe_keys(screening: ScreeningCase, stage: str) -> str:
    """What each key does."""
    third = "u not available" if stage == FULL_TEXT else "m maybe"
    reasons = [f"{number} {reason}" for number, reason in enumerate(screening.protocol.reasons, 1)]
    exclude = f"n exclude, or with a reason: {' · '.join(reasons)}" if reasons else "n exclude"
    return f"r include · {third} · {exclude}\ns later · b back · q quit"


def render_record(record: ShownRecord, *, width: int, bold: bool) -> str:
    """A record as text: title, authors, journal and year, and the abstract with learnt words marked."""
    width = min(max(width, MIN_WIDTH), MAX_WIDTH)
    before, after = BOLD if bold else STARS
    head = [record.title or "(no title)"]
    people = "; ".join(record.authors)
    where = ", ".join(filter(None, (record.journal, record.year)))
    head += filter(
        None, (people, where, record.link, "; ".join(record.keywords) and f"keywords: {'; '.join(record.keywords)}")
    )
    lines = [line for text in head for line in textwrap.wrap(printable_text(text), width)]
    for paragraph in (record.abstract or "(no abstract)").split("\n"):
        lines += ["", *textwrap.wrap(printable_text(paragraph), width)]
    text = "\n".join(lines)
    if record.words:
        pattern = re.compile(rf"\b({'|'.join(map(re.escape, record.words))})\b", re.IGNORECASE)
        text = pattern.sub(lambda match: f"{before}{match[0]}{after}", text)
    return f"{printable(record.doc_id, 200)}\n{text}\n"


def screen_records(screening: ScreeningCase, stage: str) -> None:
    """Show one record after the other, and save each decision before the next."""
    later: list[str] = []
    again: str | None = None
    mine: list[str] = []
    show_text(describe_keys(screening, stage))
    width, bold = shutil.get_terminal_size((MAX_WIDTH, 24)).columns, sys.stdout.isatty()
    while True:
        record = screening.show(again, stage) if again is not None else _choose_next(screening, stage, later)
        again = None
        if record is None:
            break
        show_page(render_record(record, width=width, bold=bold))
        answer = _ask(screening, stage)
        if answer in (None, QUIT):
            break
        if answer == LATER:
            later.append(record.doc_id)
            continue
        if answer == BACK:
            again = mine.pop() if mine else None
            if again is None:
                show_text("nothing is decided yet in this sitting")
                again = record.doc_id
            continue
        try:
            verdict = LETTERS.get(answer or "", EXCLUDE)
            vote = screening.vote(record.doc_id, verdict, stage, reason=answer if answer.isdecimal() else "")
        except UsageError as error:
            show_text(str(error))
            continue
        mine.append(record.doc_id)
        said = f"{vote.verdict}{f', {vote.reason}' if vote.reason else ''}"
        show_text(f"saved: {printable(record.doc_id)} {said}; {describe_progress(screening, stage)}")
        sys.stdout.flush()
    show_text(describe_progress(screening, stage))


def describe_progress(screening: ScreeningCase, stage: str) -> str:
    """How far a stage is, in one line."""
    progress = screening.progress(stage)
    said = f"{STAGES[stage]}: {progress.settled} of {progress.records} decided, {progress.included} included"
    if screening.protocol.required > 1:
        said += f"; {progress.mine} by you, {progress.waiting} wait for you, {progress.conflicts} conflicts"
    return said


def _choose_next(screening: ScreeningCase, stage: str, later: list[str]) -> ShownRecord | None:
    """The next record that was not postponed; then those that were."""
    for without in (later, ()):
        if records := screening.next(stage=stage, without=without):
            return records[0]
        later.clear()
    return None


def _ask(screening: ScreeningCase, stage: str) -> str | None:
    """A letter or the number of a reason; None at the end of the input."""
    letters = [letter for letter in LETTERS if letter != ("u" if stage != FULL_TEXT else "m")]
    numbers = [str(number) for number in range(1, len(screening.protocol.reasons) + 1)]
    while True:
        show_text(
            f"{'/'.join(letters)}/1–{len(numbers)}/s/b/q> " if numbers else f"{'/'.join(letters)}/s/b/q> ", end=""
        )
        sys.stdout.flush()
        key = read_key(one=len(numbers) <= LINES_OF_KEYS)
        if key is None or key in {*letters, *numbers, LATER, BACK, QUIT}:
            return key
        show_text(f"{printable(key)!r} is not an answer\n{describe_keys(screening, stage)}")


def read_key(*, one: bool = True) -> str | None:
    """A key without Enter on a terminal; otherwise a line. None at the end of the input."""
    if not one or not sys.stdin.isatty():
        line = sys.stdin.readline()
        if not line:
            show_text("")
            return None
        return line.strip().lower()
    key = _read_character()
    if key in ("", "\x03", "\x04"):
        show_text("")
        return None
    show_text(key)
    return key.lower()


def _read_character() -> str:
    """One character, as soon as its key is pressed."""
    if sys.platform == "win32":
        import msvcrt

        return msvcrt.getwch()
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before: list[Any] = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        return sys.stdin.read(1)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
