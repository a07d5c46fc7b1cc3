"""All verbs × output options × places: nothing that was there changes without --overwrite."""

from __future__ import annotations

import json
import shutil
import zipfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from antecede.cli.app import choose_verb
from antecede.cli.outputs import Output
from antecede.review.store import CaseStore
from tests.cli.test_outputs import marks, outputs
from tests.fuzz.calls import call, files_of, patent

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.fuzz.outcomes import Fuzz

QRELS = "1 0 a 1\n1 0 b 1\n2 0 a 1\n3 0 c 1\n"
RUNS = {
    "x.run": "1 Q0 a 1 3.0 t\n1 Q0 z 2 2.0 t\n2 Q0 a 1 1.0 t\n3 Q0 y 1 1.0 t\n",
    "y.run": "1 Q0 b 1 3.0 t\n1 Q0 a 2 2.0 t\n2 Q0 z 1 1.0 t\n3 Q0 c 1 1.0 t\n",
    "z.run": "1 Q0 z 1 3.0 t\n2 Q0 z 1 2.0 t\n2 Q0 a 2 1.0 t\n3 Q0 c 1 1.0 t\n",
}


@dataclass(frozen=True)
class Call:
    """A call with one output: the words before it, the inputs, and the ending of what is written."""

    words: tuple[str, ...]
    option: str
    inputs: tuple[str, ...]
    ending: str

    def with_out(self, out: str) -> tuple[str, ...]:
        calm = self.words[0] in ("case", "export", "gate") or self.words[1:2] in (("start",), ("status",))
        quiet = () if calm else ("--quiet",)
        return (*self.words, self.option, out, *quiet)


MANY = ("many-qrels", "many.run")
"""As many topics as a calibration needs."""
RANKED = ("qrels", "x.run", "y.run", "z.run")
STUDIES = ("agreement", "correlation", "cutoffs", "robustness")
FIGURES = ("audit", "compare", "evaluate", *(f"study {name}" for name in STUDIES))
JUDGED = ("qrels", "more-qrels", *RANKED[1:])
STUDIED = ("index", "--method", "tf", "--model", "bm25", "--sample", "2", "--workers", "1")
CALLS: dict[str, Call] = {
    **{f"{verb}.figure": Call((*verb.split(), *RANKED), "--figure", RANKED, ".svg") for verb in FIGURES},
    "study judges.figure": Call(("study", "judges", *JUDGED, "-m", "AP", "--samples", "2"), "--figure", JUDGED, ".svg"),
    "study measures.figure": Call(
        ("study", "measures", *RANKED, "-m", "AP", "--samples", "2"), "--figure", RANKED, ".svg"
    ),
    "study retrievability.figure": Call(("study", "retrievability", *STUDIED), "--figure", ("index",), ".png"),
    "export.out": Call(("export", "x.run"), "--out", ("x.run",), ".run"),
    "study published.figure": Call(("study", "published", "--samples", "1"), "--figure", (), ".pdf"),
    "study query-length.figure": Call(
        ("study", "query-length", "index", "c/p.jsonl", "patent-qrels", "--at", "1,2"),
        "--figure",
        ("index", "c/p.jsonl", "patent-qrels"),
        ".png",
    ),
    "topics.figure": Call(("topics", "c", "--out", "topics-out"), "--figure", ("c",), ".svg"),
    "topics.rejects": Call(("topics", "c", "--out", "topics-out"), "--rejects", ("c",), ".jsonl"),
    "topics.out": Call(("topics", "c"), "--out", ("c",), ""),
    "evaluate.save": Call(("evaluate", *RANKED), "--save", RANKED, ".npz"),
    "evaluate.out": Call(("evaluate", *RANKED), "--out", RANKED, ".txt"),
    "gate.save": Call(("gate", "qrels", "x.run"), "--save", ("qrels", "x.run"), ".json"),
    "add.rejects": Call(("add", "index", "c", "--workers", "1"), "--rejects", ("index", "c"), ".jsonl"),
    "list formats.rejects": Call(("list", "formats", "c", "p.zip"), "--rejects", ("c", "p.zip"), ".jsonl"),
    "index.rejects": Call(("index", "c", "--out", "new-index", "--workers", "1"), "--rejects", ("c",), ".jsonl"),
    "index.out": Call(("index", "c", "p.zip", "--workers", "1", "--overwrite"), "--out", ("c", "p.zip"), ""),
    "run.out": Call(
        ("run", "index", "c/p.jsonl", "--method", "tf", "--threads", "1"), "--out", ("index", "c/p.jsonl"), ".run"
    ),
    "fuse.out": Call(("fuse", *RANKED[1:]), "--out", RANKED[1:], ".run"),
    "learn weights.out": Call(("learn", "weights", "index", "--threads", "1"), "--out", ("index",), ".json"),
    "learn translations.out": Call(("learn", "translations", "claims.jsonl"), "--out", ("claims.jsonl",), ".table"),
    "review start.out": Call(("review", "start", "x.run", "1"), "--out", ("x.run",), ""),
    "review calibrate.out": Call(("review", "calibrate", *MANY), "--out", MANY, ".json"),
    "review calibrate.figure": Call(("review", "calibrate", *MANY, "--out", "c.json"), "--figure", MANY, ".svg"),
    "review calibrate.rules_figure": Call(
        ("review", "calibrate", *MANY, "--out", "c.json"), "--rules-figure", MANY, ".svg"
    ),
    "review calibrate.estimates_figure": Call(
        ("review", "calibrate", *MANY, "--out", "c.json"), "--estimates-figure", MANY, ".svg"
    ),
    "review simulate.figure": Call(("review", "simulate", "qrels", "x.run"), "--figure", ("qrels", "x.run"), ".svg"),
    "review status.figure": Call(("review", "status", "case"), "--figure", ("case",), ".svg"),
    "review status.qrels": Call(("review", "status", "case"), "--qrels", ("case",), ".txt"),
    "experiment.report": Call(("experiment", "experiment"), "--report", ("experiment",), ".html"),
    "experiment.out": Call(("experiment", "e.toml"), "--out", ("e.toml",), ""),
    "synthesize.out": Call(("synthesize", "--patents", "100"), "--out", (), ""),
    "review export.out": Call(("review", "export", "cases.sqlite", "valve"), "--out", ("cases.sqlite",), ".json"),
    "demo.out": Call(("demo",), "--out", (), ""),
}


def test_every_output_of_every_verb_is_called() -> None:
    assert {*CALLS} == {*outputs(), "evaluate.out"}  # all tables are written in the same way


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that verbs read."""
    folder = tmp_path_factory.mktemp("outputs")
    (folder / "c").mkdir()
    (folder / "c" / "p.jsonl").write_text("".join(patent(at) + "\n" for at in range(1, 7)))
    with zipfile.ZipFile(folder / "p.zip", "w") as archive:
        archive.writestr("p.jsonl", patent(9) + "\n")
    claims = {"en": ["1. A valve."], "de": ["1. Ein Ventil."], "fr": ["1. Une soupape."]}
    lines = (json.dumps({"doc_id": f"EP{at}", "language": "en", "claims": claims}) + "\n" for at in range(1, 4))
    (folder / "claims.jsonl").write_text("".join(lines))
    (folder / "qrels").write_text(QRELS)
    (folder / "more-qrels").write_text(QRELS + "3 0 y 1\n")
    (folder / "patent-qrels").write_text("".join(f"EP{at} 0 EP{at - 1} 1\n" for at in range(2, 7)))
    for name, text in RUNS.items():
        (folder / name).write_text(text)
    (folder / "many-qrels").write_text("".join(f"{topic} 0 d{topic % 7} 1\n" for topic in range(20)))
    lists = (f"{topic} Q0 d{at} {at + 1} {9 - at} t\n" for topic in range(20) for at in range(8))
    (folder / "many.run").write_text("".join(lists))
    (folder / "e.toml").write_text('qrels = "qrels"\nruns = ["x.run"]\n[evaluation]\nmeasures = ["AP"]\n')
    assert call(folder, "index", "c", "--out", "index", "--quiet", "--workers", "1").code == 0
    assert call(folder, "review", "start", "x.run", "1", "--out", "case").code == 0
    assert call(folder, "review", "mark", "case", "a", "r").code == 0
    with closing(CaseStore(folder / "cases.sqlite")) as store:
        store.create(json.loads(patent(3)), name="valve")
    assert call(folder, "experiment", "e.toml", "--out", "experiment", "--quiet").code == 0
    return folder


NOISE = {
    ".svg": b"<svg>mine</svg>",
    ".png": b"\x89PNG\r\n\x1a\nmine",
    ".pdf": b"%PDF-1.4 my thesis",
    ".npz": b"PK\x03\x04mine",
    ".json": b'{"name": "mine"}',
    ".jsonl": b'{"doc_id": "EP1"}\n',
    ".table": b"my translation",
    ".run": b"1 Q0 a 1 1.0 Indri\n",
    ".txt": b"1 0 a 1\n",
    ".html": b"<html>mine</html>",
    "": b"mine",
}


def an_input(folder: Path, each: Call, draw: random.Random) -> str | None:
    """An input, or a file in it."""
    if not each.inputs:
        return None
    path = folder / draw.choice(each.inputs)
    inside = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else []
    if each.option == "--report":
        inside.remove(path / "report.html")
    return draw.choice([path, *inside]).relative_to(folder).as_posix()


def a_link(folder: Path, each: Call, draw: random.Random) -> str | None:
    """A symbolic or hard link, or a chain of them, to an input file."""
    read = an_input(folder, each, draw)
    if read is None:
        return None
    link, target = folder / f"link{each.ending}", folder / read
    if target.is_dir() or draw.random() < 0.5:
        (folder / "way").symlink_to(target)
        link.symlink_to(folder / "way")
    else:
        link.hardlink_to(target)
    return link.name


def a_new_file_in_an_input(folder: Path, each: Call, draw: random.Random) -> str | None:
    folders = [name for name in each.inputs if (folder / name).is_dir()]
    return f"{draw.choice(folders)}/new{each.ending}" if folders else None


def a_foreign_file(folder: Path, each: Call, draw: random.Random) -> str:
    """Somebody's file of the right ending, plain or behind a link."""
    data = NOISE[each.ending] if draw.random() < 0.6 else draw.randbytes(draw.randrange(1, 200))
    (folder / f"foreign{each.ending}").write_bytes(data)
    if draw.random() < 0.7:
        return f"foreign{each.ending}"
    (folder / f"way{each.ending}").symlink_to(folder / f"foreign{each.ending}")
    return f"way{each.ending}"


def a_foreign_folder(folder: Path, each: Call, draw: random.Random) -> str | None:
    """A folder with files that would be in the way; for files any folder is."""
    if each.words[0] == "demo":  # puts its folder beside whatever is there
        return None
    place = folder / f"folder{each.ending}"
    names = ["notes.txt", "qrels.txt", "topics.jsonl", "manifest.json", "work/plan.tex", "lock", "tf.run"]
    if each.words[0] == "topics":
        names = ["qrels.txt", "topics.jsonl"]
    if each.words[0] == "run":
        names = ["tf.run", "tf.run.partial"]
    path = place / draw.choice(names)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"mine")
    return place.name


def a_missing_parent(_folder: Path, each: Call, _draw: random.Random) -> str | None:
    return None if is_folder(each) and each.words[0] != "run" else f"no/where/new{each.ending}"


def a_file_as_parent(_folder: Path, each: Call, _draw: random.Random) -> str | None:
    return f"qrels/new{each.ending}"


def a_full_disk(folder: Path, each: Call, _draw: random.Random) -> str | None:
    if is_folder(each) or each.option == "--rejects":  # nothing is rejected here, so nothing is written
        return None
    (folder / f"full{each.ending}").symlink_to("/dev/full")
    return f"full{each.ending}"


def a_partial_run(folder: Path, each: Call, draw: random.Random) -> str | None:
    """Somebody's own file where `run` would keep its answers."""
    if each.words[0] != "run":
        return None
    (folder / "new.run.partial").write_bytes(draw.randbytes(50))
    return "new.run"


def is_folder(each: Call) -> bool:
    verb = choose_verb(each.words)
    mark = marks()[f"{verb}.{each.option.removeprefix('--').replace('-', '_')}"]
    assert isinstance(mark, Output)
    return mark.folder


REFUSED: list[Callable[[Path, Call, random.Random], str | None]] = [
    an_input,
    a_link,
    a_new_file_in_an_input,
    a_foreign_file,
    a_foreign_folder,
    a_missing_parent,
    a_file_as_parent,
    a_full_disk,
    a_partial_run,
]


def test_nothing_is_written_over(fuzz: Fuzz, world: Path, tmp_path: Path) -> None:
    names = sorted(CALLS)
    for number, draw in fuzz.cases(260):
        each = CALLS[names[number % len(names)]]
        target = REFUSED[number // len(names) % len(REFUSED)]
        folder = Path(shutil.copytree(world, tmp_path / str(number), symlinks=True))
        out = target(folder, each, draw)
        if out is None:
            fuzz.count("not applicable")
            shutil.rmtree(folder)
            continue
        before = files_of(folder)
        done = call(folder, *each.with_out(out))
        where = f"case {number}: {' '.join(each.with_out(out))} ({target.__name__}): {done}"
        assert done.code == 2, where
        assert done.err.count("\n") == 1, where
        after = files_of(folder)
        changed = [name for name in before if after.get(name) != before[name]]
        assert changed == [], where
        assert not any(".antecede-" in name or name.endswith(".partial") for name in {*after} - {*before}), where
        fuzz.count("refused")
        shutil.rmtree(folder)


OWN = (
    "learn weights.out",
    "learn translations.out",
    "fuse.out",
    "evaluate.save",
    "evaluate.figure",
    "gate.save",
    "list formats.rejects",
    "run.out",
    "experiment.report",
    "topics.out",
)


def test_empty_files_are_replaced_and_others_with_overwrite(fuzz: Fuzz, world: Path, tmp_path: Path) -> None:
    for number, draw in fuzz.cases(14):
        name = OWN[number % len(OWN)]
        each = CALLS[name]
        folder = Path(shutil.copytree(world, tmp_path / str(number), symlinks=True))
        out = f"new{each.ending}"
        if name != "topics.out" and draw.random() < 0.5:
            (folder / out).touch()
        for more in ((), ("--overwrite",)):
            before = files_of(folder)
            done = call(folder, *each.with_out(out), *more)
            where = f"case {number}: {name}: {done}"
            assert done.code == (1 if name == "run.out" else 0), where  # one topic finds nothing
            after = files_of(folder)
            written = {out, f"{out}/topics.jsonl", f"{out}/qrels.txt"}
            assert all(after[file] == before[file] for file in {*before} - written), where
            assert {*after} - {*before} <= written, where
        fuzz.count("replaced")
        shutil.rmtree(folder)
