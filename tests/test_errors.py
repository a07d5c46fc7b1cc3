"""Text from data in messages and on terminals."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest

from antecede.errors import CONTROLS, InputError, UsageError, hide_secrets, printable_text, shown

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
        for safe in (printable_text(f"a{sign}b"), shown(f"a{sign}b")):
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
    assert shown(text) == safe
    assert str(UsageError(text)) == safe
    assert str(InputError("wrong", source=text)) == f"{safe}: wrong"


def test_only_the_beginning_of_a_long_text_is_looked_at() -> None:
    class Long(str):
        """A text that must not be walked through."""

        __slots__ = ()

        def __iter__(self) -> Iterator[str]:
            raise AssertionError

    assert shown(Long("a" * 100_000)) == "a" * 79 + "…"
