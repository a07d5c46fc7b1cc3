"""What a rebuild must not change: rankings, queries and the output of every verb, as they were before it.

    python -m tests.freeze             names what differs from golden/frozen.json; exit code 1 if anything does
    python -m tests.freeze --record    writes golden/frozen.json anew: for an intended change, in a commit of its own
    python -m tests.freeze --out DIR   keeps the outputs as files, to be held against those of another commit

It works on a synthetic collection in three languages: the run of every query method and ranking model, an index that is
built, extended, merged and opened again, and each command that the pages of docs show, with `--json` where the verb has
it. Numbers are compared to seven digits; what a clock or a machine decides is left out. The cluster is not frozen:
`tests/opensearch` holds its results against those of an index in a folder, and `make bench` has the times.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import matplotlib as mpl

from antecede.models import MODELS
from antecede.query.methods import METHODS
from tests.conftest import ROOT
from tests.documented import pages, run_line
from tests.documented_folder import lay
from tests.test_documented_commands import APART, SMALLER, commands

if TYPE_CHECKING:
    from collections.abc import Iterator

FROZEN = Path(__file__).parent / "golden" / "frozen.json"
VARYING = re.compile(
    r"^id$|making|changed|second|time|created|written|version|digest|bytes|size|path|folder|memory|rate|load|platform"
)
"""Keys of JSON whose values a clock, a machine or a byte format decides."""
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
UNSTABLE = re.compile(r"\d+(?:\.\d+)? ?(?:s|ms|min|µs|kB|MB|GB|bytes)\b|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*")
IDENTIFIER = re.compile(r"\b[0-9a-f]{16}\b")
NO_OPTION = "No such option: --json"


def freeze() -> dict[str, str]:
    """The outputs by name; run in a folder of its own."""
    outputs = dict(_rankings())
    whole = Path.cwd()
    for page in pages():
        if commands(page) and page.relative_to(ROOT).as_posix() not in APART:
            here = shutil.copytree(whole, whole.parent / page.stem)
            with chdir(here):
                outputs |= dict(_commands(page))
            shutil.rmtree(here)
    return outputs


def _rankings() -> Iterator[tuple[str, str]]:
    """The runs of every method and model, and those of an index that was extended and merged."""
    languages = {code: f"--language {code}" for code in ("en", "de", "fr")}
    settings = {
        f"method {name} {code}": f"--method {name} {only}" for name in METHODS for code, only in languages.items()
    }
    settings |= {f"model {name}": f"--model {name}" for name in MODELS}
    settings["ranking auto"] = "--ranking auto"
    for name, options in settings.items():
        yield name, _run_file("clefip.index", options)
    run_line("antecede index clefip --out grown.index --quiet")
    run_line("antecede add grown.index ipg050104.zip --quiet")
    yield "index extended", _run_file("grown.index")
    run_line("antecede merge grown.index --quiet")
    yield "index merged", _run_file("grown.index")
    yield "index verified", _stable(run_line("antecede verify grown.index").out)


def _run_file(index: str, options: str = "") -> str:
    """The rankings of all topics: topic, rank and document, with scores to seven digits."""
    outcome = run_line(f"antecede run {index} topics --out a.run --quiet {options}")
    return outcome.err if outcome.code else _stable(Path("a.run").read_text())


def _commands(page: Path) -> Iterator[tuple[str, str]]:
    """What the commands of a page print, as JSON where there is some."""
    for _, line in commands(page):
        for pattern, smaller in SMALLER.items():
            line = re.sub(pattern, smaller, line)
        outcome = run_line(line if "--json" in line or re.search(r"[|;<>]|--help", line) else f"{line} --json")
        if NO_OPTION in outcome.err:
            outcome = run_line(line)
        yield f"{page.stem}: {line}", f"exit code {outcome.code}\n{_stable(outcome.out)}"


def _stable(text: str) -> str:
    """The text without what differs between two runs of the same program."""
    text = text.replace(str(Path.cwd().parent), "")
    try:
        text = json.dumps(_without_varying(json.loads(text)), indent=1, sort_keys=True)
    except ValueError:
        text = UNSTABLE.sub("…", text)
    return NUMBER.sub(lambda number: f"{float(number[0]):.7g}", IDENTIFIER.sub("…", text))


def _without_varying(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_varying(inner) for key, inner in value.items() if not VARYING.search(key)}
    return [_without_varying(inner) for inner in value] if isinstance(value, list) else value


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.freeze", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write golden/frozen.json anew")
    parser.add_argument("--out", type=Path, help="keep the outputs in this folder")
    given = parser.parse_args()
    mpl.use("agg")
    os.environ["_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"] = "1"
    with tempfile.TemporaryDirectory() as work, patch.object(os, "cpu_count", lambda: 1):
        (Path(work) / "here").mkdir()
        with chdir(lay(Path(work) / "here")):
            outputs = freeze()
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        for at, (name, text) in enumerate(outputs.items()):
            (given.out / f"{at:03}.txt").write_text(f"{name}\n{text}", errors="surrogateescape")
    digests = {
        name: hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16] for name, text in outputs.items()
    }
    if given.record:
        FROZEN.write_text(json.dumps(digests, indent=0, sort_keys=True) + "\n")
        print(len(digests), "results recorded")
        return
    frozen = json.loads(FROZEN.read_text())
    different = [name for name in frozen if frozen[name] != digests.get(name)]
    for name in different:
        print("differs:" if name in digests else "is gone:", name)
    print(
        f"{len(frozen) - len(different)} of {len(frozen)} frozen results hold, {len(digests.keys() - frozen)} are new"
    )
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
