"""From an experiment file to its settings: all that can be checked is checked here, before any work begins."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, shown
from antecede.evaluation.build import choose_names
from antecede.experiment.combinations import check
from antecede.experiment.key_lines import key_lines
from antecede.experiment.sections import KEYS
from antecede.experiment.settings import TOGETHER, Evaluation, GivenRun, Search, Settings
from antecede.experiment.studies import STUDIES
from antecede.experiment.values import Place, kind_of, path, run_name, table

if TYPE_CHECKING:
    from collections.abc import Mapping

WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
ENOUGH_TO_STUDY = 2


def read_settings(file: str | Path, out: str | Path | None = None) -> Settings:
    """Read an experiment file. What is wrong in it is said in one line, with its own line."""
    file = Path(file)
    written = read_text(file)
    whole_file = parsed(written, str(file))
    top = Place(str(file), file.parent, key_lines(written))
    given = table(KEYS)(whole_file, top)
    own, theirs = runs_of(whole_file, given, top)
    every = [*(each.name for each in own), *(each.name for each in theirs)]
    settings = Settings(
        file=file,
        text=written,
        title=given.get("title", file.stem),
        out=Path(out) if out is not None else given.get("out", file.with_suffix("")),
        top=top,
        **{name: given[name] for name in ("collection", "index", "topics", "qrels") if name in given},
        languages=given["languages"] if given.get("languages") != TOGETHER and "languages" in given else None,
        together=given.get("languages") == TOGETHER,
        searches=own,
        runs=theirs,
        evaluation=evaluation_of(given.get("evaluation", {}), every, top),
        studies=studies_of(given, len(every)),
    )
    check(settings, {*whole_file}, {*whole_file.get("studies", ())})
    return settings


def read_text(file: Path) -> str:
    """The text of the file."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not UTF-8 text (byte {error.start})", source=str(file), remedy="save it as UTF-8"
        ) from None
    except OSError as error:
        told = error.strerror or str(error)
        raise InputError(f"cannot be read ({told})", source=str(file), remedy="check the path") from None


def parsed(written: str, source: str) -> dict[str, Any]:
    """What the text says in TOML."""
    try:
        return tomllib.loads(written)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = WHERE.search(str(error))
        line = int(found[1]) if found and found[1] else max(len(written.splitlines()), 1)
        column = f", column {found[2]}" if found and found[2] else ""
        what = shown(WHERE.sub("", str(error)))
        raise InputError(f"is no TOML{column}: {what}", source=source, line=line) from None


def runs_of(
    file: Mapping[str, Any], given: Mapping[str, Any], top: Place
) -> tuple[tuple[Search, ...], tuple[GivenRun, ...]]:
    """The runs to be made, and those of others."""
    own: list[Search] = []
    theirs: list[tuple[str | None, Path, Place]] = []
    for place, entry in enumerate(given.get("runs", ())):
        at = top / "runs" / place if isinstance(file["runs"], list) else top / "runs"
        if isinstance(entry, dict) and "path" not in entry:
            from antecede.experiment.searches import described

            own.append(described(entry, at))
        else:
            theirs += runs_at(entry, at)
    if "search" in given or (not own and ({"collection", "index"} & {*given})):
        from antecede.experiment.searches import searches

        at = top / "search"
        own = [*searches(given.get("search", {}), at), *own]
    usual = iter(choose_names([str(each) for name, each, _ in theirs if name is None]))
    named = [(GivenRun(name or next(usual), each), at) for name, each, at in theirs]
    seen = [each.name for each in own]
    for one in [*seen, *(run.name for run, _ in named)]:
        if [*seen, *(run.name for run, _ in named)].count(one) > 1:
            at = next((at for run, at in named if run.name == one), top / "runs")
            raise at.wrong(f"two runs are called {shown(one)}", "give one of them another name")
    return tuple(own), tuple(run for run, _ in named)


def runs_at(entry: Any, at: Place) -> list[tuple[str | None, Path, Place]]:
    """The files that an entry of `runs` names, with the name that it gives."""
    if isinstance(entry, dict):
        given = table({"path": path, "name": run_name})(entry, at)
        return [(given.get("name"), given["path"], at)]
    if not isinstance(entry, str):
        raise at.wrong(f"must be a path or a table, not {kind_of(entry)}")
    if not re.search(r"[*?\[]", entry):
        return [(None, path(entry, at), at)]
    found = sorted(at.folder.glob(entry)) if not Path(entry).is_absolute() else sorted(Path("/").glob(entry[1:]))
    if not found:
        raise at.wrong(f"there is no {shown(entry)!r}", f"paths are relative to {shown(str(at.folder))}")
    return [(None, each, at) for each in found if each.is_file()]


def evaluation_of(given: Mapping[str, Any], runs: list[str], top: Place) -> Evaluation:
    """How runs are compared; without a baseline the full text is it, or else the first run."""
    baseline = given.get("baseline") or next((name for name in runs if name == "full"), runs[0] if runs else None)
    if runs and baseline not in runs:
        from antecede.errors import suggest_names

        at = top / "evaluation" / "baseline"
        there = ", ".join(map(shown, runs)) if len(runs) <= 20 else f"{len(runs)} others"
        raise at.wrong(
            f"{shown(str(baseline))!r} is none of the runs{suggest_names(str(baseline), runs)}", f"there are {there}"
        )
    known = {each.name for each in fields(Evaluation)}
    return Evaluation(**{name: each for name, each in given.items() if name in known - {"baseline"}}, baseline=baseline)


def studies_of(given: Mapping[str, Any], runs: int) -> dict[str, dict[str, Any]]:
    """The studies that are wanted, with their options: the usual ones, where there are runs enough, and those named."""
    asked = given.get("studies", {})
    usual = {name: dict(each.defaults) for name, each in STUDIES.items() if each.usual and runs > ENOUGH_TO_STUDY}
    return {name: options for name, options in {**usual, **asked}.items() if options is not None}
