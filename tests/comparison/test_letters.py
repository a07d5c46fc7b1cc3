"""Letters of runs."""

from __future__ import annotations

from antecede.comparison.comparison import format_letters, run_letter


def test_letters_go_on_behind_z() -> None:
    assert [run_letter(i) for i in (0, 25, 26, 27, 51, 52, 701, 702)] == ["a", "z", "aa", "ab", "az", "ba", "zz", "aaa"]
    assert len({run_letter(i) for i in range(1000)}) == 1000


def test_spans_are_shortened_and_long_letters_parted() -> None:
    assert format_letters([]) == ""
    assert format_letters([2, 0, 4]) == "ace"
    assert format_letters([0, 1]) == "ab"
    assert format_letters([0, 1, 2, 3]) == "a–d"
    assert format_letters([0, 2, 3, 4, 6]) == "a,c–e,g"
    assert format_letters([0, 26]) == "a,aa"
