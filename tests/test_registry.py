"""Entries with parameters, as users write them; where they come from; what an unknown or broken one leads to."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import UsageError
from antecede.ranges import Range
from antecede.registry import Definition, Registry, parameters_of, parse_call, write_call
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
VALUES = st.integers(0, 10**6) | st.floats(0, 1e6).map(lambda value: float(f"{value:g}"))


@given(NAMES, st.dictionaries(NAMES, VALUES, max_size=4), st.sampled_from([",", ", "]))
def test_a_written_call_is_parsed_to_the_same_call(name: str, values: dict[str, float], separator: str) -> None:
    call = parse_call(write_call(name, values, separator))
    assert call is not None
    assert call.name == name
    assert {each: float(value) for each, value in call.arguments} == values


def test_other_texts_are_no_calls_and_blanks_and_empty_arguments_do_not_matter() -> None:
    for text in ("", "bm25(", "bm25)", "bm25(k1=(1))", "a b", "bm25()x", "@5", "9a"):
        assert parse_call(text) is None, text
    assert parse_call(" LM-Dirichlet ( mu = 5 ,, ) ") == ("LM-Dirichlet", (("mu", "5"),), None)
    assert parse_call("PRES@100(rel=2)") == ("PRES", (("rel", "2"),), "100")


def example(
    data: list[int],
    *,
    c: Annotated[float, Range(0, 1, open_low=True)] = 1.0,
    lambda_: float = 0.5,
    level: Literal["near", "far"] = "near",
    k: int | None = None,
) -> float:
    """An example.

    Its formula.
    """
    return len(data) * c * lambda_ * (k or 1) * (2 if level == "far" else 1)


EXAMPLE = Definition("example", example, parameters_of(example), "nowhere")


def test_a_definition_reads_its_parameters_off_the_signature() -> None:
    assert EXAMPLE.usage == "example(c=1, lambda=0.5, level=near, k=…)"
    assert EXAMPLE.summary == "An example."
    assert EXAMPLE.bind([("lambda", "2"), ("c", "1")], "…") == {"c": 1.0, "lambda": 2.0}
    assert example([1, 2], **EXAMPLE.spell({"lambda": 3.0, "level": "far"})) == 12


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([("c", "0")], "c must be more than 0 and at most 1, not 0"),
        ([("c", "1.01")], "c must be more than 0"),
        ([("c", "nan")], "c must be more than 0 and at most 1, not nan"),
        ([("c", "x")], "c 'x' is not a number"),
        ([("lam", "1")], "example has no parameter 'lam'; did you mean lambda?"),
        ([("zz", "1")], "it takes c, lambda, level, k"),
        ([("k", "1"), ("k", "2")], "k is given twice"),
        ([("k", "1e3")], "k '1e3' is not a whole number"),
        ([("k", "9" * 30)], "k must be at most 1000000000"),
        ([("lambda", "inf")], "lambda must be 0 or more, not inf"),
        ([("level", "there")], "level 'there' is not one of near, far"),
    ],
)
def test_a_wrong_parameter_is_refused(arguments: list[tuple[str, str]], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        EXAMPLE.bind(arguments, "example(…)")
    assert said in str(caught.value)


def empty_registry() -> Registry[Definition]:
    registry: Registry[Definition] = Registry("thing", package="tests.golden")
    registry.complete = {registry.load_package, registry.load_entry_points}
    return registry


def test_an_entry_appears_at_once_and_only_its_own_definition_replaces_it() -> None:
    registry = empty_registry()
    assert [*registry] == []
    registry.add("example", EXAMPLE)
    assert [*registry] == ["example"]
    assert registry.choose("example") is EXAMPLE
    again = Definition("example", example, (), "run again in a notebook")
    registry.add("example", again)
    assert registry["example"] is again
    with pytest.raises(ValueError, match="two entries are registered as the thing example"):
        registry.add("example", Definition("example", empty_registry, (), "elsewhere"))


def test_an_unknown_name_suggests_the_nearest() -> None:
    registry = empty_registry()
    registry.add("four", EXAMPLE)
    with pytest.raises(UsageError, match=r"unknown thing 'fou'; did you mean four\?"):
        registry.choose("fou")
    with pytest.raises(UsageError, match="unknown thing 'x'; available: four"):
        registry.choose("x")


PLUG_INS = {
    "entry_points.txt": """
[antecede.measures]
HalfR = plugged.measure
Broken = plugged.broken
Missing = plugged.empty
[antecede.methods]
rarest = plugged.method
[antecede.models]
coordination = plugged.model
[antecede.formats]
disclosure = plugged.format
""",
    "measure.py": """
from antecede.measures import Cutoff, Level, measure
@measure("HalfR", at="cutoff", cite="nowhere")
def half_recall(ranks, *, cutoff: Cutoff, rel: Level = 1):
    "Half recall: the share of the relevant documents among the first N/2."
    relevant = ranks.relevant(rel)
    return relevant.found(cutoff // 2) / relevant.n
""",
    "broken.py": "raise RuntimeError('no licence')",
    "empty.py": "",
    "method.py": """
import numpy as np
from antecede.query.methods import method
@method("rarest", cite="nowhere", cut=True)
def rarest(at, *, least: int = 2):
    "The rarest terms."
    return np.where(at.counts >= least, 1 / at.df, 0.0)
""",
    "model.py": """
import numpy as np
from antecede.models import model
@model("coordination", cite="nowhere")
def coordination(at, collection):
    "Coordination level."
    return np.ones_like(at.counts)
""",
    "format.py": """
from antecede.corpus.formats import xml_format
from antecede.patent import Patent
@xml_format("disclosure", title="disclosures", roots=("disclosure",))
def disclosure(root, source):
    "One disclosure."
    return Patent(doc_id=root.get("id"), source=source)
""",
}
PROGRAM = """
import antecede as ac
from antecede.corpus.formats import FORMATS, by_root
from antecede.measures import MEASURES, parse_measure
from antecede.query.methods import LISTING
from antecede.query.methods import METHODS, parse_method
from antecede.models import MODELS, parse_model
print(ac.score("HalfR@10", found=[1, 9], relevant=2))
print(parse_method("rarest(least=3)"), parse_model("coordination"), by_root()["disclosure"].name)
print("rarest" in LISTING.as_manual(), "HalfR" in MEASURES, "Broken" in MEASURES)
for name in ("Broken@5", "Missing"):
    try:
        parse_measure(name)
    except ac.AntecedeError as error:
        print(error)
"""


@pytest.mark.slow
def test_another_distribution_adds_entries_through_entry_points(tmp_path: Path) -> None:
    package, record = tmp_path / "plugged", tmp_path / "plugged-1.0.dist-info"
    for folder in (package, record):
        folder.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    for name, text in PLUG_INS.items():
        (package if name.endswith(".py") else record).joinpath(name).write_text(text)
    (package / "__init__.py").touch()
    path = os.pathsep.join([str(tmp_path), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "0.5",
        "rarest(least=3) coordination disclosure",
        "True True False",
        "the measure Broken could not be loaded (plugged: RuntimeError: no licence)",
        "the measure Missing could not be loaded (plugged: plugged.empty registers no measure of that name)",
    ]
