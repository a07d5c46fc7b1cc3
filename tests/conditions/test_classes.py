"""The tree of classes."""

from __future__ import annotations

from antecede.conditions.classes import child_of, level_of, nodes_of


def test_the_levels_of_a_class_tree() -> None:
    assert nodes_of("H04L 12/56") == ("H", "H04", "H04L", "H04L 12", "H04L 12/56")
    assert [*map(level_of, nodes_of("H04L 12/56"))] == ["section", "class", "subclass", "group", "subgroup"]
    assert child_of("", "A61K") == "A"
    assert child_of("A61K", "A61K") is None
    assert child_of("H04L 1", "H04L 12/56") is None
