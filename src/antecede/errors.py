"""Every error that a user can encounter, as one tree:

    AntecedeError
    ├── InputError        a file, a frame or a dict is not what it was given for
    │   ├── MalformedInputError     a line or row cannot be read
    │   ├── UnusableIndexError      an index cannot be read: no answer of it can be believed
    │   └── DuplicateDocumentError  a document occurs twice in one topic
    ├── MeasureError      a measure is unknown, or written with the wrong parameters
    └── UsageError        the call itself cannot be carried out

A message is one line: where (file, line, topic, document), what is wrong, and what to do about it.
The command line prints that line and exits with 2.
"""

from __future__ import annotations

import re
import sys
import warnings
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


class AntecedeError(Exception):
    """The root of the exception tree: catch it to catch every error that antecede raises deliberately."""

    picture = ""
    """Lines that a terminal shows below the message: what was written, with a mark under the place."""

    def __init__(self, message: str = "") -> None:
        super().__init__(hide_secrets(message))


class InputError(AntecedeError):
    """A file, a frame or a dict is not valid input."""

    def __init__(
        self,
        what: str,
        *,
        source: str | None = None,
        line: int | None = None,
        topic_id: str | None = None,
        doc_id: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.what, self.source, self.line = what, source, line
        self.topic_id, self.doc_id, self.remedy = topic_id, doc_id, remedy
        where = [] if source is None else [source]
        places = {"line": line, "topic": topic_id, "document": doc_id}
        where += [f"{name} {printable(str(place))}" for name, place in places.items() if place is not None]
        message = f"{', '.join(where)}: {what}" if where else what
        super().__init__(f"{message}; {remedy}" if remedy else message)


class MalformedInputError(InputError):
    """A line or row cannot be parsed."""


class UnusableIndexError(InputError):
    """An index is damaged, or cannot be read or reached: no answer of it can be believed."""


class DuplicateDocumentError(InputError):
    """A document appears twice in a topic."""


class MeasureError(AntecedeError):
    """A measure is unknown, or written with the wrong parameters."""


class UsageError(AntecedeError):
    """The call is invalid."""


_ADDRESS = r"(?P<kept>(?<![a-z0-9+.-])[a-z0-9+.-]{2,}+:/++)"  # a drive has only one letter
_SECRETS = (
    re.compile(_ADDRESS + r"(?:\S*(?P<secret>@)|\S*+)", re.IGNORECASE),
    # User and password, which may have blanks; not host and port.
    re.compile(_ADDRESS + r"[^\s/:@]*:(?!\s|\d+[/,:\s])[^@\n]*+(?P<secret>@)?", re.IGNORECASE),
    re.compile(
        r"(?P<kept>[?&;](?=[^=\s?&;]*?(?:pass|pwd|secret|token|key|auth))[^=\s?&;]*+=)(?P<secret>)[^\s&;]*+",
        re.IGNORECASE,
    ),
)
"""What is kept of a secret's surroundings, and what follows it. Where there is none, what was looked through is passed
over, not looked through from its next address on: a message takes time in proportion to its length."""


SHOWN_AT_MOST = 10_000
"""Characters of a text that are looked at to show its beginning."""


def hide_secrets(text: str) -> str:
    """Text without the passwords of addresses in it: messages end up in logs and on other people's screens.

    >>> hide_secrets("HTTPS://reader:pa/ss@host/name?password=word: no such file")
    'HTTPS://…@host/name?password=…: no such file'
    """
    if ":/" not in text and "=" not in text:
        return text
    for pattern in _SECRETS:
        text = pattern.sub(
            lambda found: found[0] if found["secret"] is None else f"{found['kept']}…{found['secret']}", text
        )
    return text


def printable(text: str, longest: int = 80) -> str:
    """Untrusted text, safe to print in a one-line message.

    Control characters are escaped, passwords of addresses hidden, and the text is truncated to `longest`.
    """
    begin = hide_secrets(text[: max(4 * longest, SHOWN_AT_MOST)])  # the text may have megabytes
    safe = "".join(each if each.isprintable() else escape_character(each) for each in begin)
    return safe if len(safe) <= longest else f"{safe[: longest - 1]}…"


def require_type(value: object, kinds: type | tuple[type, ...], argument: str, words: str) -> None:
    """Refuse an argument of another type; `words` say what it must be."""
    if not isinstance(value, kinds):
        raise UsageError(f"{argument} must be {words}, not {describe_given(value)}")


def describe_given(value: object) -> str:
    """What an argument got, in a few words: `None`, `the number 10`, `the text 'x.run'`, `a RankTable`."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, int | float):
        return f"the number {printable(str(value))}"
    if isinstance(value, str):
        return f"the text {printable(value)!r}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


_for_shell = False
"""Whether the reader of messages uses the command line. Of the process: threads at work have the same reader."""


def word_for_shell(*, options: bool) -> None:
    """Word advice for users of the command line, who have options where Python has arguments, or of Python."""
    global _for_shell
    _for_shell = options


@contextmanager
def wording_for_shell() -> Iterator[None]:
    """Word advice for users of the command line while something runs."""
    before = _for_shell
    word_for_shell(options=True)
    try:
        yield
    finally:
        word_for_shell(options=before)


def is_worded_for_shell() -> bool:
    """Whether advice is worded for users of the command line."""
    return _for_shell


def advise(python: str, shell: str) -> str:
    """The wording of an advice in Python, or the one for the command line."""
    return shell if _for_shell else python


def spell(name: str, value: object = None) -> str:
    """An argument as a user gives it: `order="rank"` and `resume=True`, or `--order rank` and `--resume`.

    >>> spell("order", "rank"), spell("resume", True), spell("from_claim")
    ('order="rank"', 'resume=True', 'from_claim=')
    """
    option = f"--{name.replace('_', '-')}"
    if value is None:
        return advise(f"{name}=", option)
    if isinstance(value, bool):
        return advise(f"{name}={value}", option if value else option.replace("--", "--no-", 1))
    return advise(f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}", f"{option} {value}")


def warn_caller(note: str, category: type[Warning] = UserWarning) -> None:
    """Warn of something at the line of the user that called a function of antecede, through however many of ours."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "antecede":
        frame, level = frame.f_back, level + 1
    warnings.warn(note, category, stacklevel=level)


def reason_of(error: AntecedeError) -> str:
    """Why a topic has no answer, without its name, so that equal reasons are counted together.

    An index that cannot be read is the reason of no topic, and raised: what was not found would count as not relevant.
    """
    if isinstance(error, UnusableIndexError):
        raise error
    return str(error) if getattr(error, "source", None) is not None else getattr(error, "what", str(error))


def suggest_names(name: str, names: Collection[str]) -> str:
    """A suggestion to append to an error about an unknown name; empty where no name is similar."""
    similar = get_close_matches(name, list(names), n=3)
    return f" (did you mean {' or '.join(printable(each) for each in similar)}?)" if similar else ""


CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 (escape among them) but for tab and line feed, delete, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # marks, embeddings, overrides and isolates of direction
    "\u2028\u2029"  # line and paragraph separators
    "\ufff9-\ufffb\U000e0000-\U000e007f"  # annotations and tags: invisible text
    "\ud800-\udfff]"  # surrogates, which cannot be encoded
)
"""Characters that control a terminal, change the direction of text, or hide it."""


def printable_text(text: str) -> str:
    """Untrusted text of several lines, safe to print: control characters escaped, line feeds and tabs kept."""
    return CONTROLS.sub(lambda found: escape_character(found[0]), text)


def escape_character(character: str) -> str:
    """A character as Python writes it, in ASCII: `\\x1b`, `\\u202e`."""
    return character.encode("unicode_escape").decode()
