"""Text from data in messages and on terminals."""

from __future__ import annotations

import ast
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from antecede import errors, evaluate, rank_table, read_run
from antecede.adapters.experiment import Experiment
from antecede.comparison.gate import Limits
from antecede.comparison.inputs import check_level
from antecede.errors import (
    CONTROLS,
    InputError,
    UsageError,
    hide_secrets,
    printable,
    printable_text,
    spell,
    wording_for_shell,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

DANGEROUS = [
    *(chr(code) for code in (*range(32), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"),
    *(chr(code) for code in (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029)),
    "\ud800",
    "\udfff",
    "\U000e0041",
]


def test_every_control_character_is_escaped() -> None:
    for sign in DANGEROUS:
        for safe in (printable_text(f"a{sign}b"), printable(f"a{sign}b")):
            assert safe == f"a{sign.encode('unicode_escape').decode()}b"
    wanted = {chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cc", "Cs", "Zl", "Zp")}
    directions = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    wanted |= {chr(code) for code in range(0x110000) if unicodedata.bidirectional(chr(code)) in directions}
    assert {sign for sign in wanted if not CONTROLS.fullmatch(sign)} == {"\n", "\t"}


def test_ordinary_text_stays_as_it_is() -> None:
    text = "Ventil\u00a0für 5\u00ad\u00b0C\n\tذ 手持 🙂 e\u0301 \u200d"
    assert printable_text(text) == text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("opensearch://a:b@c@host/name: wrong", "opensearch://…@host/name: wrong"),
        ("https:/a:b/c@host/x", "https:/…@host/x"),
        ("es://a:b c/d@host/x: wrong", "es://…@host/x: wrong"),
        ("es://host:9200/x: not R@5", "es://host:9200/x: not R@5"),
        ("es://host: not R@5", "es://host: not R@5"),
        ("https://host/x?user=a&Password=b&size=1", "https://host/x?user=a&Password=…&size=1"),
        ("https://host/x, not R@5", "https://host/x, not R@5"),
        ("AP(rel=2)@10", "AP(rel=2)@10"),
    ],
)
def test_passwords_of_addresses_are_hidden(text: str, safe: str) -> None:
    assert hide_secrets(text) == safe
    assert printable(text) == safe
    assert str(UsageError(text)) == safe
    assert str(InputError("wrong", source=text)) == f"{safe}: wrong"


def test_only_the_beginning_of_a_long_text_is_looked_at() -> None:
    class Long(str):
        """A text that must not be walked through."""

        __slots__ = ()

        def __iter__(self) -> Iterator[str]:
            raise AssertionError

    assert printable(Long("a" * 100_000)) == "a" * 79 + "…"


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*\b")
COMMAND = re.compile(r"`?antecede [a-z].*")
SPOKEN_ELSEWHERE = {"cli", "web"}
"""What is said to users of the program and the page."""


def _list_texts(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module that may be said to a user: not docstrings, nor the wording for the command line."""
    tree = ast.parse(path.read_text())
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "advise":
                silent |= {id(part) for part in ast.walk(node.args[1])}
            elif node.func.id == "option":  # declares one of the program
                silent |= {id(part) for part in ast.walk(node)}
            elif node.func.id == "Help":  # its text is also for users of Python, the names of the option are not
                silent |= {id(keyword.value) for keyword in node.keywords if keyword.arg == "flags"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.lineno, node.value


EXEMPT = {
    "report/terminal_text.py": "what the program prints",
    "search/settings.py": "the reference of options, for the documentation",
    "synthetic/collection.py": "the README of a collection has the call that makes it again",
    "opensearch/cluster.py": "all remedies pass `_spell_options`",
    "errors.py": "what makes the wording",
}


def test_messages_do_not_name_options_to_users_of_python() -> None:
    """Options are named by `spell` and `advise`, which know whether the reader uses Python or the command line."""
    source = Path(errors.__file__).parent
    named = []
    for path in sorted(source.rglob("*.py")):
        place = path.relative_to(source)
        if place.parts[0] in SPOKEN_ELSEWHERE or place.as_posix() in EXEMPT:
            continue
        for line, text in _list_texts(path):
            text = COMMAND.sub("", text)
            named += [
                f"{place}:{line}: {found[0]}" for found in OPTION.finditer(COMMAND.sub("", text)) if "--" in found[0]
            ]
    assert not named, "\n".join(named)


def test_advice_is_worded_for_python_or_the_command_line() -> None:
    def said() -> tuple[str, ...]:
        return spell("from_claim", 3), spell("positions", False), spell("resume", True), spell("ties")

    assert said() == ("from_claim=3", "positions=False", "resume=True", "ties=")
    with wording_for_shell():
        assert said() == ("--from-claim 3", "--no-positions", "--resume", "--ties")
        with pytest.raises(InputError, match=r"correct it, or pass --malformed skip"):
            read_run({"1": {"a": float("nan")}})
        with pytest.raises(UsageError, match=r"^--alpha must lie between 0 and 1, both excluded, not 1"):
            check_level(1)
        with pytest.raises(UsageError, match=r"^--margin, the loss that has to be excluded, must be more than 0"):
            Limits(margin=0)
    with pytest.raises(InputError, match=r'correct it, or pass malformed="skip"'):
        read_run({"1": {"a": float("nan")}})
    table = rank_table({"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 1.0, "b": 1.0}}})
    assert "(see ties=)" in str(evaluate(table, "AP").notes())


def test_a_warning_points_at_the_line_of_the_caller() -> None:
    note = "x holds 1 documents a topic; P@10 treats the rest as not found"
    with pytest.warns(UserWarning, match=note) as caught:
        Experiment([{"1": {"a": 1.0}}], None, {"1": {"a": 1}}, ["P@10"], names=["x"])
    assert caught[0].filename == __file__
