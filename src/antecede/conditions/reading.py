"""Reading an expression in a language: its words in the form in which an index of that language has them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from antecede.conditions.tree import Fact, Near, Node, Or, Phrase, Truncation, Word

if TYPE_CHECKING:
    from antecede.text.analyzer import Analyzer


def read_in(analyzer: Analyzer, node: Node) -> Node:
    """A part of an expression with its words folded, and without elided ones where they are no words: `d'eau`, `eau`.

    Only words, and what joins words of one text, are read.
    """
    if isinstance(node, Word):
        return Word(analyzer.form(node.text[: analyzer.profile.longest]))
    if isinstance(node, Truncation):
        return Truncation(analyzer.form_pattern(node.pattern))
    if isinstance(node, Phrase):
        return _read_phrase(analyzer, node)
    if isinstance(node, Near):
        return replace(node, left=read_in(analyzer, node.left), right=read_in(analyzer, node.right))
    if isinstance(node, Or):
        return Or(tuple(read_in(analyzer, member) for member in node.members))
    if isinstance(node, Fact):
        return node
    raise TypeError(f"{type(node).__name__} is not read in a language")


def _read_phrase(analyzer: Analyzer, phrase: Phrase) -> Node:
    words = phrase.words
    if analyzer.treatment.elisions:
        words = tuple(word for word in words if not (isinstance(word, Word) and word.elided)) or words
    read = tuple(read_in(analyzer, word) for word in words)
    leaves = tuple(word for word in read if isinstance(word, Word | Truncation))
    return leaves[0] if len(leaves) == 1 else Phrase(leaves)
