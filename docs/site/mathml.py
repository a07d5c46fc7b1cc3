"""Formulas → MathML, at build time, so that they are typeset without a script or a network.

Formulas are written in docstrings and pages as plain text on indented lines, so that a terminal shows them as well:

    PRES = 1 − (S/n − (n + 1)/2) / N

The notation is what the documentation uses, not a language of its own: names with subscripts (`r_i`, `k1`), numbers,
`+ − · /`, powers (`²`, `p^(r − 1)`), sums and products (`Σ_d`, `Π`), roots (`√n`), functions by juxtaposition
(`log₂(x)`, `max n`), norms (`|d|`), conditions (`P(t|d)`), relations and lists. Spaces matter, as they do for a reader:
`a·b / c·d` is (a·b)/(c·d) and `a / b · c / d` is (a/b)·(c/d). A slash with spaces becomes a fraction with a bar, one
without spaces stays a slash and binds tighter. A sum extends over the quotient that follows it. What the converter does
not know is an error, never a formula that looks almost right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>\d+(?:\.\d+)?|\.\d+)
      | (?P<norm>\|[A-Za-z]\|)
      | (?P<log>log₂)
      | (?P<big>[ΣΠ](?:_[A-Za-z]+)?)
      | (?P<name>(?:[A-Za-z]+|[α-ωΘ])(?:\d+|_[A-Za-z0-9]+)?′?)
      | (?P<half>½) | (?P<infinity>∞) | (?P<dots>…)
      | (?P<power>[²³^]) | (?P<root>√)
      | (?P<open>[(⌈]) | (?P<close>[)⌉])
      | (?P<sign>[+−]) | (?P<dot>·) | (?P<slash>/)
      | (?P<relation>[=<>≤≥∝→|]) | (?P<comma>[,;])""",
    re.VERBOSE,
)
FACTORS = {"number", "norm", "log", "big", "name", "half", "infinity", "dots", "root", "open"}
PRODUCT = {*FACTORS, "dot", "slash"} - {"big"}
CLOSING = {"(": ")", "⌈": "⌉"}
SUPERSCRIPTS = {"²": "<mn>2</mn>", "³": "<mn>3</mn>"}
BIG = {"Σ": "∑", "Π": "∏"}
GAP = '<mspace width="0.17em"/>'
DOT = "<mo>·</mo>"


class FormulaError(ValueError):
    """A formula that cannot be converted."""


class Token(NamedTuple):
    """A symbol, and whether it is surrounded by spaces."""

    kind: str
    text: str
    spaced: bool


@dataclass(frozen=True)
class Node:
    """A part of a formula as MathML; `inside` is its content without the parentheses around it, if it has any."""

    markup: str
    inside: str = ""

    @property
    def bare(self) -> str:
        """The markup without parentheses, as above or below the bar of a fraction."""
        return self.inside or self.markup


def convert_block(text: str) -> str:
    """The lines of a block, each a formula, as MathML."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "".join(f'<math display="block">{convert(line)}</math>\n' for line in lines)


def convert(formula: str) -> str:
    """A formula as the content of a `math` element."""
    reader = Reader(formula)
    markup = reader.read_list()
    if reader.peek() is not None:
        raise FormulaError(f"{formula}: unexpected {reader.peek()}")
    return markup


class Reader:
    """Recursive descent over the symbols of one formula; each method reads one level of precedence."""

    def __init__(self, formula: str) -> None:
        self.formula = formula
        self.tokens = list(split_tokens(formula))
        self.at = 0

    def peek(self) -> str | None:
        """The kind of the next symbol; None at the end."""
        return self.tokens[self.at].kind if self.at < len(self.tokens) else None

    def take(self) -> Token:
        """The next symbol."""
        if self.at == len(self.tokens):
            raise FormulaError(f"{self.formula}: something is missing at the end")
        self.at += 1
        return self.tokens[self.at - 1]

    def next_is(self, kind: str, *, spaced: bool) -> bool:
        """Whether the next symbol is an operator of this kind, with or without spaces around it."""
        return self.peek() == kind and self.tokens[self.at].spaced == spaced

    def read_list(self) -> str:
        """Relations, separated by commas."""
        parts = [self.read_relation()]
        while self.peek() == "comma":
            mark = self.take().text
            parts.append(f'<mo separator="true">{mark}</mo>')
            if self.peek() in {*FACTORS, "sign"}:
                parts += [GAP, self.read_relation()]
        return "".join(parts)

    def read_relation(self) -> str:
        """Sums, compared."""
        parts = [self.read_sum()]
        while self.peek() == "relation":
            parts += [f"<mo>{escape(self.take().text)}</mo>", self.read_sum()]
        return "".join(parts)

    def read_sum(self) -> str:
        """Terms, added and subtracted."""
        parts = [] if self.peek() == "sign" else [self.read_term()]
        while self.peek() == "sign":
            parts += [f"<mo>{self.take().text}</mo>", self.read_term()]
        return "".join(parts)

    def read_term(self) -> str:
        """Quotients, multiplied by a dot with spaces around it."""
        parts = [self.read_quotient().markup]
        while self.next_is("dot", spaced=True):
            self.take()
            parts += [DOT, self.read_quotient().markup]
        return "".join(parts)

    def read_quotient(self) -> Node:
        """Products, divided by a slash with spaces around it."""
        if self.peek() == "big":
            return join([self.read_factor(), Node(GAP), self.read_quotient()])
        found = self.read_product()
        while self.next_is("slash", spaced=True):
            self.take()
            found = make_fraction(found, self.read_product())
        return join([found, Node(GAP), self.read_quotient()]) if self.peek() == "big" else found

    def read_product(self) -> Node:
        """Factors side by side, or with a dot or a slash without spaces between them."""
        found = [self.read_factor()]
        while self.peek() in PRODUCT and (self.peek() in FACTORS or not self.tokens[self.at].spaced):
            if self.peek() in FACTORS:
                found += [Node(GAP)] if self.tokens[self.at].spaced else []
            else:
                found.append(Node(f"<mo>{self.take().text}</mo>"))
            found.append(self.read_factor())
        return join(found)

    def read_chain(self) -> Node:
        """Factors without anything between them, as in `avg|d|` or `n(t)`."""
        found = [self.read_factor()]
        while self.peek() in FACTORS and not self.tokens[self.at].spaced:
            found.append(self.read_factor())
        return join(found)

    def read_factor(self) -> Node:
        """A symbol or something in parentheses, with its power."""
        found = self.read_base()
        while self.peek() == "power":
            mark = self.take().text
            power = SUPERSCRIPTS.get(mark) or self.read_base().bare
            found = Node(f"<msup>{wrap(found.markup)}{wrap(power)}</msup>")
        return found

    def read_base(self) -> Node:
        """A symbol or something in parentheses."""
        token = self.take()
        if token.kind == "open":
            inside = self.read_list()
            closed = self.take().text
            if closed != CLOSING[token.text]:
                raise FormulaError(f"{self.formula}: {token.text} is closed by {closed}")
            whole = f"<mrow><mo>{token.text}</mo>{inside}<mo>{closed}</mo></mrow>"
            return Node(whole, inside if token.text == "(" else "")
        if token.kind == "root":
            return Node(f"<msqrt>{wrap(self.read_chain().bare)}</msqrt>")
        if token.kind not in FACTORS:
            raise FormulaError(f"{self.formula}: {token.text} is not expected here")
        return Node(write_symbol(token))


def split_tokens(formula: str) -> list[Token]:
    """The symbols of a formula. An operator is spaced if there is a space before it, as is a factor."""
    found: list[Token] = []
    at, spaced = 0, False
    while at < len(formula):
        match = TOKEN.match(formula, at)
        if match is None or match.lastgroup is None:
            raise FormulaError(f"{formula}: {formula[at]!r} is not part of the notation")
        if match.lastgroup == "space":
            spaced = True
        else:
            found.append(Token(match.lastgroup, match[0], spaced))
            spaced = False
        at = match.end()
    return found


def write_symbol(token: Token) -> str:
    """A symbol as MathML."""
    text = token.text
    match token.kind:
        case "number":
            return f"<mn>{text if text[0] != '.' else '0' + text}</mn>"
        case "norm":
            return f'<mrow><mo stretchy="false">|</mo><mi>{text[1]}</mi><mo stretchy="false">|</mo></mrow>'
        case "log":
            return "<msub><mi>log</mi><mn>2</mn></msub>"
        case "half":
            return "<mfrac><mn>1</mn><mn>2</mn></mfrac>"
        case "big":
            sign = f"<mo>{BIG[text[0]]}</mo>"
            return f"<munder>{sign}<mi>{text[2:]}</mi></munder>" if text[1:] else sign
        case "name":
            return write_name(text)
        case _:
            return f"<mi>{text}</mi>"


def write_name(text: str) -> str:
    """A name: one letter with a number after it, or any name with an underscore, has a subscript."""
    found = re.fullmatch(r"(\w)(\d+)|([^_]+)_(\w+)", text)
    if found is None:
        return f"<mi>{text}</mi>"
    base, below = (found[1], found[2]) if found[1] else (found[3], found[4])
    tag = "mn" if below.isdigit() else "mi"
    return f"<msub><mi>{base}</mi><{tag}>{below}</{tag}></msub>"


def make_fraction(above: Node, below: Node) -> Node:
    """A fraction, without the parentheses that its bar replaces."""
    return Node(f"<mfrac>{wrap(above.bare)}{wrap(below.bare)}</mfrac>")


def join(nodes: list[Node]) -> Node:
    """Nodes side by side."""
    return nodes[0] if len(nodes) == 1 else Node("".join(node.markup for node in nodes))


def wrap(markup: str) -> str:
    """Markup as a single element."""
    return f"<mrow>{markup}</mrow>"
