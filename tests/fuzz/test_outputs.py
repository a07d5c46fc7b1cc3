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

from antecede.cli.outputs import Output
from antecede.review.store import CaseStore
from tests.cli.test_outputs import marks, outputs
from tests.fuzz.calls import call, files_of, patent
from tests.review.references import write_references

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
    """A call with one output: its verb and option, the words before it, its inputs, the ending of what is written."""

    name: str
    words: tuple[str, ...]
    inputs: tuple[str, ...]
    ending: str

    @property
    def option(self) -> str:
        return "--" + self.name.partition(".")[2].replace("_", "-")

    def with_out(self, out: str) -> tuple[str, ...]:
        verb = self.name.partition(".")[0]
        calm = verb in ("export", "gate", "review start", "review status", "review export")
        return (*self.words, self.option, out, *(() if calm else ("--quiet",)))


MANY = "many-qrels many.run"
"""As many topics as a calibration needs."""
RANKED = "qrels x.run y.run z.run"
JUDGED = f"qrels more-{RANKED}"
STUDIED = "index --method tf --model bm25 --sample 2 --workers 1"
LENGTHS = "index c/p.jsonl patent-qrels"
PLAIN = ("audit", "compare", "evaluate", *(f"study {n}" for n in ("agreement", "correlation", "cutoffs", "robustness")))
TABLE: list[tuple[str, str, str, str]] = [
    *((f"{verb}.figure", f"{verb} {RANKED}", RANKED, ".svg") for verb in PLAIN),
    ("study judges.figure", f"study judges {JUDGED} -m AP --samples 2", JUDGED, ".svg"),
    ("study measures.figure", f"study measures {RANKED} -m AP --samples 2", RANKED, ".svg"),
    ("study retrievability.figure", f"study retrievability {STUDIED}", "index", ".png"),
    ("export.out", "export x.run", "x.run", ".run"),
    ("study published.figure", "study published --samples 1", "", ".pdf"),
    ("study query-length.figure", f"study query-length {LENGTHS} --at 1,2", LENGTHS, ".png"),
    ("topics.figure", "topics c --out topics-out", "c", ".svg"),
    ("topics.rejects", "topics c --out topics-out", "c", ".jsonl"),
    ("topics.out", "topics c", "c", ""),
    ("evaluate.save", f"evaluate {RANKED}", RANKED, ".npz"),
    ("evaluate.out", f"evaluate {RANKED}", RANKED, ".txt"),
    ("gate.save", "gate qrels x.run", "qrels x.run", ".json"),
    ("add.rejects", "add index c --workers 1", "index c", ".jsonl"),
    ("list formats.rejects", "list formats c p.zip", "c p.zip", ".jsonl"),
    ("index.rejects", "index c --out new-index --workers 1", "c", ".jsonl"),
    ("index.out", "index c p.zip --workers 1 --overwrite", "c p.zip", ""),
    ("run.out", "run index c/p.jsonl --method tf --threads 1", "index c/p.jsonl", ".run"),
    ("fuse.out", "fuse x.run y.run z.run", "x.run y.run z.run", ".run"),
    ("learn weights.out", "learn weights index --threads 1", "index", ".json"),
    ("learn translations.out", "learn translations claims.jsonl", "claims.jsonl", ".table"),
    ("review start.out", "review start x.run 1", "x.run", ""),
    ("review calibrate.out", f"review calibrate {MANY}", MANY, ".json"),
    *(
        (f"review calibrate.{figure}", f"review calibrate {MANY} --out c.json", MANY, ".svg")
        for figure in ("figure", "rules_figure", "estimates_figure")
    ),
    ("review simulate.figure", "review simulate qrels x.run", "qrels x.run", ".svg"),
    ("review prisma.figure", "review prisma screening.sqlite", "screening.sqlite", ".svg"),
    ("review status.figure", "review status case", "case", ".svg"),
    ("review status.qrels", "review status case", "case", ".txt"),
    ("experiment.report", "experiment experiment", "experiment", ".html"),
    ("experiment.out", "experiment e.toml", "e.toml", ""),
    ("synthesize.out", "synthesize --patents 100", "", ""),
    ("review export.out", "review export cases.sqlite valve", "cases.sqlite", ".json"),
    ("demo.out", "demo", "", ""),
    ("open.folder", "open c --no-page", "c", ""),
    ("open.rejects", "open c --folder workspace --no-page", "c", ".jsonl"),
    ("open.export", "open c --folder workspace", "c", ".csv"),
]
CALLS = {name: Call(name, tuple(words.split()), tuple(inputs.split()), ending) for name, words, inputs, ending in TABLE}


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
    write_references(folder / "references.ris", 5)
    assert call(folder, "review", "start", "references.ris", "--out", "screening.sqlite").code == 0
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
    ".csv": b"doc_id,title\nEP1,mine\n",
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
    if each.words[0] == "open" and is_folder(each):
        names = ["files.json", "cases.sqlite", "documents.index", "documents.index/notes.txt"]
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
    mark = marks()[each.name]
    assert isinstance(mark, Output)
    return mark.folder


REFUSED: list[Callable[[Path, Call, random.Random], str | None]] = [
    an_input, a_link, a_new_file_in_an_input, a_foreign_file, a_foreign_folder, a_missing_parent, a_file_as_parent,
    a_full_disk, a_partial_run,
]  # fmt: skip


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
    "learn weights.out", "learn translations.out", "fuse.out", "evaluate.save", "evaluate.figure", "gate.save",
    "list formats.rejects", "run.out", "experiment.report", "topics.out",
)  # fmt: skip


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
