"""Runs and qrels as files of space-separated columns, written completely or not at all; and runs with their metadata.

Metadata follow the convention of ir_metadata (Breuer, Keller & Schaer, SIGIR 2022) and of TIREx. A run is exported as a
folder with `run.txt` (or `run.txt.gz`) and `ir-metadata.yml`, the layout that TIREx expects of an upload; or as one
file that begins with the metadata as comment lines, between `# ir_metadata.start` and `# ir_metadata.end`, which
trec_eval skips.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import math
import os
import platform
import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from antecede.errors import InputError, UsageError, printable
from antecede.files import write_whole
from antecede.trec.runs import lay_out_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from antecede.trec.runs import Run


def _compress_zstd(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(data)


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),  # no time stamp: the same run gives the same bytes
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": _compress_zstd,
}

UNFIT = r"[\x00\t-\r ]|^$"
"""Characters that separate columns and lines, and the empty text. Other blanks, such as U+00A0, are allowed."""
UNFIT_FIRST = rf"{UNFIT}|^[#\u{{FEFF}}]"
"""The same for the first column: a line that begins with # is a comment, and a leading U+FEFF is not read."""


def format_columns(frame: pl.DataFrame) -> bytes:
    """A frame as lines of space-separated columns; refuse ids that could not be read back unchanged."""
    for at, (name, kind) in enumerate(frame.schema.items()):
        if kind == pl.String:
            unfit = UNFIT_FIRST if at == 0 else UNFIT
            bad = frame.filter(pl.col(name).str.contains(unfit))[name]
            if len(bad):
                raise InputError(
                    f"{name} '{printable(bad[0])}' cannot be written to a TREC file",
                    remedy="remove blanks and a leading #",
                )
    out = io.BytesIO()
    frame.write_csv(out, include_header=False, separator=" ", quote_style="never")
    return out.getvalue()


def write_columns(frame: pl.DataFrame, path: str | Path, head: bytes = b"") -> None:
    """Write a frame as lines of space-separated columns, compressed where the name of the file says so."""
    compress = COMPRESSORS.get(Path(path).suffix.lower(), bytes)
    write_whole(path, compress(head + format_columns(frame)))


SCHEMA_VERSION, RUN_VERSION = 0.1, 1.0
MARK = "# written by antecede export"
START, END = "# ir_metadata.start", "# ir_metadata.end"
SECTIONS = ("platform", "research goal", "implementation", "method", "actor", "data")
"""The components of PRIMAD, in the order of the schema."""
FILE_SUFFIXES = frozenset({".run", ".txt", *COMPRESSORS})
METADATA_FILE, RUN_FILE = "ir-metadata.yml", "run.txt"
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_. /@()+-]*[A-Za-z0-9)]|[A-Za-z_]")
"""Texts that need no quotation marks in YAML, unless they are one of `WORDS`."""
WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan"})


def describe_run(run: Run, given: Mapping[str, Any] | None = None, *, made_here: bool = False) -> dict[str, Any]:
    """The metadata of a run: the sections that are given, and what is known of one that was made here.

    Of the machine, only its kind is recorded: processor architecture, number of cores, system and versions.
    """
    metadata: dict[str, Any] = {
        "schema-version": SCHEMA_VERSION,
        "run-version": RUN_VERSION,
        "tag": run.tag or run.name,
    }
    if made_here:
        metadata["platform"] = {
            "hardware": {"cpu": {"architecture": platform.machine(), "number of cores": os.cpu_count() or 1}},
            "operating system": {"kernel": platform.system()},
            "software": {
                "libraries": {"python": [f"numpy=={version('numpy')}"]},
                "retrieval toolkit": [f"antecede=={version('antecede')}"],
            },
        }
        metadata["implementation"] = {"source": {"lang": ["python"]}}
        metadata["method"] = {"automatic": True, "score ties": "document id, descending"}
    for name, section in (given or {}).items():
        old = metadata.get(name)
        metadata[name] = _merge(old, section) if isinstance(old, dict) and isinstance(section, dict) else section
    order = ["schema-version", "run-version", "tag", *SECTIONS]
    return {
        name: metadata[name] for name in [*order, *(name for name in metadata if name not in order)] if name in metadata
    }


def parse_entries(written: Sequence[str]) -> dict[str, Any]:
    """Entries such as `actor.team=NAME` as nested mappings; whole numbers, numbers, true and false are read as such."""
    entries: dict[str, Any] = {}
    for text in written:
        path, sign, value = text.partition("=")
        keys = [key.strip() for key in path.split(".")]
        if not sign or len(keys) < 2 or not all(keys) or keys[0] not in SECTIONS:
            raise UsageError(
                f"{printable(text)!r} is not an entry of the metadata; write SECTION.KEY=VALUE, "
                f"with one of the sections "
                f"{', '.join(SECTIONS)}"
            )
        nested: dict[str, Any] = {keys[-1]: _parse_value(value.strip())}
        for key in reversed(keys[:-1]):
            nested = {key: nested}
        entries = _merge(entries, nested)
    return entries


def _parse_value(text: str) -> str | float | bool:
    if text in ("true", "false"):
        return text == "true"
    try:
        number = float(text)
    except ValueError:
        return text
    if not math.isfinite(number):
        return text
    return int(text) if text.lstrip("+-").isdigit() else number


def _merge(old: dict[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Two nested mappings as one; the second has priority."""
    merged = dict(old)
    for name, value in new.items():
        before = merged.get(name)
        merged[name] = _merge(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return merged


def write_yaml(document: Mapping[str, Any]) -> str:
    """A nested document of mappings, lists and scalars as YAML."""
    return "".join(f"{line}\n" for line in _yaml_lines(document, 0))


def _yaml_lines(value: Any, depth: int) -> Iterator[str]:
    blanks = "  " * depth
    named = isinstance(value, dict)
    for head, entry in (
        ((f"{_scalar(name)}:", value[name]) for name in value) if named else (("-", entry) for entry in value)
    ):
        if isinstance(entry, dict | list | tuple) and len(entry):
            nested = [*_yaml_lines(entry, depth + 1)]
            if head == "-" and isinstance(entry, dict):  # the first key stands on the line of the dash
                yield f"{blanks}- {nested[0].strip()}"
                yield from nested[1:]
            else:
                yield f"{blanks}{head}"
                yield from nested
        else:
            yield f"{blanks}{head} {_scalar(entry)}"


def _scalar(value: Any) -> str:
    """A scalar in YAML: numbers and truth values as in JSON, texts in quotation marks where they need them."""
    if isinstance(value, str):
        plain = PLAIN.fullmatch(value) and value.lower() not in WORDS
        return value if plain else json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)


def export_run(
    run: Run,
    path: str | Path,
    metadata: Mapping[str, Any] | None = None,
    *,
    made_here: bool = False,
    compress: bool = False,
) -> tuple[Path, ...]:
    """Write a run with its metadata, and return the files.

    A run whose scores do not give its order, because it was read by its rank column, gets scores that do: whoever reads
    the file orders it by score.

    Args:
        run: The run, from `read_run`.
        path: A folder for `run.txt` and `ir-metadata.yml`, as TIREx expects them; or a file that ends in `.run`, `.txt`
            or a suffix of compression, which then begins with the metadata.
        metadata: Sections of ir_metadata to add, such as `{"actor": {"team": "…"}, "method": {…}}`.
        made_here: Record this machine and these versions as the platform of the run.
        compress: Write `run.txt.gz` into the folder.
    """
    path = Path(path)
    document = describe_run(run, metadata, made_here=made_here)
    text = f"{MARK}\n{write_yaml(document)}"
    lines = _restore_order(lay_out_run(run, str(document["tag"])))
    if is_file_name(path):
        head = "".join(f"{line}\n" for line in (START, *(f"# {line}" for line in text.splitlines()), END))
        write_columns(lines, path, head.encode())
        return (path,)
    run_file = path / (f"{RUN_FILE}.gz" if compress else RUN_FILE)
    write_columns(lines, run_file)
    write_whole(path / METADATA_FILE, text.encode())
    return run_file, path / METADATA_FILE


def is_file_name(path: Path) -> bool:
    """Whether a run is exported as a file of this name, rather than into a folder, which may be called `bm25-1.2`."""
    return path.suffix.lower() in FILE_SUFFIXES


def _restore_order(lines: pl.DataFrame) -> pl.DataFrame:
    """The lines of a run, with scores that fall with its ranks where the given ones do not order it so."""
    by_score = lines.with_row_index("at").sort(
        "topic_id", "score", "doc_id", descending=[False, True, True], maintain_order=True
    )
    rank = by_score.select(pl.col("at"), pl.int_range(1, pl.len() + 1).over("topic_id").alias("by_score"))
    if rank.sort("at")["by_score"].to_list() == lines["rank"].to_list():
        return lines
    return lines.with_columns(score=(pl.col("rank").max() + 1 - pl.col("rank")).cast(pl.Float64))
