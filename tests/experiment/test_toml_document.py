"""The lines of keys in a TOML file: every key that the parser finds has the line where it is written."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from antecede.experiment.toml_document import Key, find_lines

TEXT = '''# a comment with [brackets] = and "quotes"
title = "one # no comment"
"odd key" = 'x'
search.k = 10   # dotted

[collection]
paths = [
  "a.xml",   # first
  "b.xml",
]
synthetic = { patents = 300, "se.ed" = [1,
  2] }

text = """
[not.a.table]
no = "key"
quote \\""" and four""""

[[runs]]
path = "a"
[runs.more]
deep.er = 1979-05-27 07:32:00
[[runs]]
path = \'\'\'
b = 1\'\'\'
name = "b"
[ studies . "robust ness" ]
keep = [[0.1], {a = [
 true]}]'''


def test_every_kind_of_key_is_found_on_its_line() -> None:
    lines = find_lines(TEXT)
    assert lines[("title",)] == 2
    assert lines[("odd key",)] == 3
    assert (lines[("search",)], lines[("search", "k")]) == (4, 4)
    assert lines[("collection",)] == 6
    assert [lines[("collection", "paths", at)] for at in (0, 1)] == [8, 9]
    assert lines[("collection", "synthetic", "se.ed", 1)] == 12
    assert lines[("collection", "text")] == 14
    assert ("no",) not in lines
    assert [lines[("runs", at)] for at in (0, 1)] == [19, 23]
    assert lines[("runs", 0, "more", "deep", "er")] == 22
    assert lines[("runs", 1, "name")] == 26
    assert lines[("studies", "robust ness", "keep", 1, "a", 0)] == 29
    assert {*lines} == {*keys_of(tomllib.loads(TEXT))}


def test_keys_after_a_long_list_are_found_without_parsing_it_line_by_line() -> None:
    count = 5000
    text = "title = 'x'\npaths = [\n" + "".join(f"  'p{at}',\n" for at in range(count)) + "]\n[search]\nk = 3\n"
    lines = find_lines(text)
    assert (lines[("paths",)], lines[("paths", 0)]) == (2, 3)
    assert (lines[("search",)], lines[("search", "k")]) == (count + 4, count + 5)
    assert {*lines} == {*keys_of(tomllib.loads(text))}


def keys_of(value: Any, key: Key = ()) -> list[Key]:
    """Every key of what the parser returned."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return ([key] if key else []) + [found for name, each in inside for found in keys_of(each, (*key, name))]


names = st.text("ab_c-1", min_size=1, max_size=4) | st.text("x .\"#=[]'é\\\n", min_size=1, max_size=4)
leaves = st.integers() | st.booleans() | st.text("a\"'#=[]{},.\n\\é", max_size=6) | st.floats(0, 9)
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3))


def written(value: Any, width: str) -> str:
    """A value as TOML: JSON has the same strings, numbers and lists."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {written(each, '')}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + width + f",{width} ".join(written(each, "") for each in value) + width + "]"
    return json.dumps(value)


@given(
    st.dictionaries(names, st.dictionaries(names, values, max_size=3), max_size=3), st.sampled_from(["", "\n", " #]\n"])
)
def test_every_key_of_any_file_is_found_at_its_own_name(tables: dict[str, dict[str, Any]], width: str) -> None:
    text = ""
    expected: dict[Key, int] = {}
    for name, table in tables.items():
        expected[(name,)] = text.count("\n") + 1
        text += f"[{json.dumps(name)}]\n"
        for key, value in table.items():
            expected[(name, key)] = text.count("\n") + 1
            text += f"{json.dumps(key)} = {written(value, width)} # [end]\n\n"
    parsed = tomllib.loads(text)
    assert parsed == tables
    found = find_lines(text)
    assert {*found} == {*keys_of(parsed)}
    assert {key: found[key] for key in expected} == expected
