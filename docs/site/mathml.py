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
from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>\d+(?:\.\d+)?|\.\d+)
      | (?P<norm>\|[A-Za-z]\|)
      | (?P<constant>log₂|[½∞…])
      | (?P<big>[ΣΠ](?:_[A-Za-z]+)?)
      | (?P<name>(?:[A-Za-z]+|[α-ωΘ])(?:\d+|_[A-Za-z0-9]+)?′?)
      | (?P<power>[²³^]) | (?P<root>√)
      | (?P<open>[(⌈]) | (?P<close>[)⌉])
      | (?P<sign>[+−]) | (?P<dot>·) | (?P<slash>/)
      | (?P<relation>[=<>≤≥∝→|]) | (?P<comma>[,;])""",
    re.VERBOSE,
)
FACTORS = {"number", "norm", "constant", "big", "name", "root", "open"}
CLOSING = {"(": ")", "⌈": "⌉"}
SUPERSCRIPTS = {"²": "<mn>2</mn>", "³": "<mn>3</mn>"}
CONSTANTS = {"½": "<mfrac><mn>1</mn><mn>2</mn></mfrac>", "log₂": "<msub><mi>log</mi><mn>2</mn></msub>"}
BIG = {"Σ": "∑", "Π": "∏"}
GAP = '<mspace width="0.17em"/>'
OPENED, CLOSED = re.compile(r"^<mrow><mo[^>]*>\(</mo>"), re.compile(r"<mo[^>]*>\)</mo></mrow>$")
TALL = re.compile("<mfrac>|<msup>|[∑∏]")
"""What parentheses grow around; around a line of letters, a letter with an ascender would already double them."""


class FormulaError(ValueError):
    """A formula that cannot be converted."""


class Token(NamedTuple):
    """A symbol, and whether there is a space before it."""

    kind: str
    text: str
    spaced: bool


def convert_block(text: str) -> str:
    """The lines of a block, each a formula, as MathML."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "".join(f'<math display="block">{convert(line)}</math>\n' for line in lines)


def convert(formula: str) -> str:
    """A formula as the content of a `math` element."""
    reader = _Reader(formula)
    markup = reader.read_list()
    if reader.next.kind != "end":
        raise FormulaError(f"{formula}: unexpected {reader.next.text}")
    return markup


class _Reader:
    """Recursive descent over the symbols of one formula; each method reads one level of precedence."""

    def __init__(self, formula: str) -> None:
        self.formula = formula
        self.tokens = _split_tokens(formula)
        self.next = next(self.tokens)

    def take(self) -> Token:
        """The next symbol; the one after it becomes the next."""
        token, self.next = self.next, next(self.tokens, self.next)
        return token

    def read_list(self) -> str:
        """Relations, separated by commas."""
        markup = self.read_relation()
        while self.next.kind == "comma":
            markup += f'<mo separator="true">{self.take().text}</mo>'
            if self.next.kind in {*FACTORS, "sign"}:
                markup += GAP + self.read_relation()
        return markup

    def read_relation(self) -> str:
        return self.read_operands("relation", self.read_sum)

    def read_sum(self) -> str:
        return self.read_operands("sign", self.read_term)

    def read_term(self) -> str:
        return self.read_operands("dot", self.read_quotient)

    def read_operands(self, operator: str, read: Callable[[], str]) -> str:
        """Operands with operators of one kind between them; a sum may begin with its sign."""
        markup = "" if self.next.kind == operator == "sign" else read()
        while self.next.kind == operator:
            markup += f"<mo>{escape(self.take().text)}</mo>{read()}"
        return markup

    def read_quotient(self) -> str:
        """Products, divided by a slash with spaces around it; a sum extends over the quotient that follows it."""
        if self.next.kind == "big":
            return self.read_factor() + GAP + self.read_quotient()
        product = self.read_product()
        while self.next.kind == "slash":
            self.take()
            product = [f"<mfrac>{_group(product)}{_group(self.read_product())}</mfrac>"]
        return "".join(product) + (GAP + self.read_quotient() if self.next.kind == "big" else "")

    def read_product(self) -> list[str]:
        """Factors side by side, or with a dot or a slash without spaces between them."""
        parts = [self.read_factor()]
        while self.next.kind in {*FACTORS, "tight"} - {"big"}:
            if self.next.kind == "tight":
                parts.append(f"<mo>{self.take().text}</mo>")
            elif self.next.spaced:
                parts.append(GAP)
            parts.append(self.read_factor())
        return parts

    def read_factor(self) -> str:
        """A symbol or something in parentheses, with its power."""
        markup = self.read_base()
        while self.next.kind == "power":
            mark = self.take().text
            markup = f"<msup><mrow>{markup}</mrow>{_group([SUPERSCRIPTS.get(mark) or self.read_base()])}</msup>"
        return markup

    def read_base(self) -> str:
        """A symbol, something in parentheses, or a root of what follows without a space, as in `√n(t)`."""
        token = self.take()
        if token.kind == "open":
            inside = self.read_list()
            closed = self.take().text
            if closed != CLOSING[token.text]:
                raise FormulaError(f"{self.formula}: {token.text} is closed by {closed or 'nothing'}")
            sign = "<mo>" if TALL.search(inside) else '<mo stretchy="false">'
            return f"<mrow>{sign}{token.text}</mo>{inside}{sign}{closed}</mo></mrow>"
        if token.kind == "root":
            parts = [self.read_factor()]
            while self.next.kind in FACTORS and not self.next.spaced:
                parts.append(self.read_factor())
            return f"<msqrt>{_group(parts)}</msqrt>"
        if token.kind not in FACTORS:
            raise FormulaError(f"{self.formula}: {token.text or 'the end'} is not expected here")
        return _write_symbol(token)


def _split_tokens(formula: str) -> Iterator[Token]:
    """The symbols of a formula, and its end. A dot or a slash without a space before it binds tighter."""
    at, spaced = 0, False
    while at < len(formula):
        match = TOKEN.match(formula, at)
        if match is None or match.lastgroup is None:
            raise FormulaError(f"{formula}: {formula[at]!r} is not part of the notation")
        kind, at = match.lastgroup, match.end()
        if kind != "space":
            yield Token("tight" if kind in {"dot", "slash"} and not spaced else kind, match[0], spaced)
        spaced = kind == "space"
    yield Token("end", "", spaced)


def _write_symbol(token: Token) -> str:
    """A symbol as MathML."""
    text = token.text
    match token.kind:
        case "number":
            return f"<mn>{text if text[0] != '.' else '0' + text}</mn>"
        case "norm":
            return f'<mrow><mo stretchy="false">|</mo><mi>{text[1]}</mi><mo stretchy="false">|</mo></mrow>'
        case "big":
            sign = f"<mo>{BIG[text[0]]}</mo>"
            return f"<munder>{sign}<mi>{text[2:]}</mi></munder>" if text[1:] else sign
    # One letter with a number after it, or any name with an underscore, has a subscript.
    subscript = re.fullmatch(r"(\w)(\d+)|([^_]+)_(\w+)", text)
    if subscript is None:
        return CONSTANTS.get(text, f"<mi>{text}</mi>")
    base, below = filter(None, subscript.groups())
    tag = "mn" if below.isdigit() else "mi"
    return f"<msub><mi>{base}</mi><{tag}>{below}</{tag}></msub>"


def _group(parts: list[str]) -> str:
    """Factors as a single element, without parentheses around all of it, which a bar or a raised position replaces."""
    markup = "".join(parts)
    if len(parts) == 1 and OPENED.search(markup):
        markup = CLOSED.sub("", OPENED.sub("", markup))
    return f"<mrow>{markup}</mrow>"
