"""Writes `results.md`: one part after the other, each with the machine and the day it was measured on."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.section import Section, Table


def machine() -> tuple[str, ...]:
    """What the figures depend on, a line each. Taken before the work starts, for the load to be that of others."""
    load = f"; load before the start {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"Date: {datetime.now(UTC):%Y-%m-%d}",
        f"Machine: {_processor()}, {_cores()} cores, {_memory()}{load}",
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}",
    )


ABOUT = "Written by `make bench`: every tool on the same work, in one run. Times are this machine's; ratios travel."


def document(lines: Sequence[str], sections: Sequence[Section], before: str = "") -> str:
    """The whole file; parts of the file as it was `before` that were not measured again stay as they are."""
    parts = {part.partition("\n")[0]: part.rstrip("\n") for part in before.split("\n## ")[1:]}
    parts |= {section.title: _section(section, lines) for section in sections}
    return "\n\n## ".join([f"# Bench\n\n{ABOUT}", *parts.values()]) + "\n"


def _section(section: Section, lines: Sequence[str]) -> str:
    parts = [section.title, "\n".join(f"- {line}" for line in lines), section.work]
    parts += [_markdown(table) for table in section.tables]
    parts += ["\n".join(f"- {note}" for note in section.notes)] if section.notes else []
    parts += ["\n".join(f"- **Wrong:** {line}" for line in section.wrong)] if section.wrong else []
    return "\n\n".join(parts)


def write(file: Path, text: str) -> None:
    """Whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(file.name + ".unfinished")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(file)


def _markdown(table: Table) -> str:
    rule = ["---", *("---:" for _ in table.columns[1:])]
    lines = [f"| {' | '.join(row)} |" for row in (table.columns, rule, *table.rows)]
    return "\n".join([*([f"**{table.title}**", ""] if table.title else []), *lines])


def _processor() -> str:
    try:
        described = Path("/proc/cpuinfo").read_text()
    except OSError:
        described = ""
    names = [line.partition(":")[2].strip() for line in described.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _cores() -> int:
    """Those this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory() -> str:
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB memory"
