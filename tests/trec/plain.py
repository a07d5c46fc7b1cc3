"""TREC files to draw, clean and messy; how they are read is in `tests.fuzz.plain_evaluation`."""

from __future__ import annotations

from hypothesis import strategies as st

from antecede.trec.layout import QRELS, RUN

# What may stand in an id: anything that is not white space of ASCII. Blanks of Unicode are signs like any other.
SIGNS = [*"abcXYZ0189", *"#\"',;|\\%&$`~^*?()[]{}<>@!/:._-+=", *"éßłΩжد語🙂", "\u00a0", "\u2028", "\u0085", "\u3000"]
CONTROLS = [chr(code) for code in (1, 7, 27, 28, 31, 127)]

clean_ids = st.one_of(
    st.text(st.sampled_from(SIGNS), min_size=1, max_size=6),
    st.from_regex(r"[A-Z]{2}-[0-9]{4,7}-[AB][0-9]", fullmatch=True),
    st.sampled_from(["x" * 3000, "nan", "-1", "topic", "PAR1", "null", '"', "x^1"]),
)
ids = st.one_of(clean_ids, st.text(st.sampled_from([*SIGNS, *CONTROLS]), min_size=1, max_size=4))

ODD_NUMBERS = ["+1", ".5", "5.", "1e-300", "-0.0", "0", "-0", "1E5", "1e+05", "00.10", "9007199254740993", "1e-400"]
scores = st.one_of(
    st.sampled_from(ODD_NUMBERS),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.decimals(-1000, 1000, places=20, allow_nan=False).map(lambda number: f"{number:f}"),
)
grades = st.one_of(
    st.integers(-3, 4).map(str), st.sampled_from(["+2", "007", "-0", "999999999", "-999999999", "0000000000001"])
)

LAYOUTS = {"run": RUN, "qrels": QRELS}


def lines_of(kind: str, ids: st.SearchStrategy[str] = ids) -> st.SearchStrategy[list[tuple[str, ...]]]:
    """Lines of a file, as columns."""
    topics = ids.filter(lambda text: not text.startswith("#"))
    lines: st.SearchStrategy[tuple[str, ...]] = st.tuples(topics, ids, ids, grades)
    if kind == "run":
        lines = st.tuples(topics, ids, ids, ids, scores, ids)
    return st.lists(lines, min_size=1, max_size=8)


def clean_file(lines: list[tuple[str, ...]], separator: str = " ") -> bytes:
    return "".join(separator.join(line) + "\n" for line in lines).encode()
