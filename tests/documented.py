"""What README and docs tell a reader to type: found, and run as a shell would run it, inside this process."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT, Outcome, call_program

FENCE = re.compile(r"^ *```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
SHELL = ("sh", "console", "bash", "shell")


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """The lines that call something, without a prompt and comments."""
        lines = [re.sub(r"^\$ ", "", line.strip()) for line in self.text.replace("\\\n", " ").splitlines()]
        return [line for line in lines if line and not line.startswith("#")]


def pages() -> list[Path]:
    """README and every page of the docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path, *languages: str) -> list[Block]:
    """The blocks of a page in these languages."""
    text = page.read_text()
    return [
        Block(page, text.count("\n", 0, found.start()) + 1, found[1], found[2])
        for found in FENCE.finditer(text)
        if found[1] in languages
    ]


def run_line(line: str) -> Outcome:
    """Run a line with pipes, `;`, redirections and patterns; how its last command ended, and all that was said."""
    reader = shlex.shlex(line, posix=True, punctuation_chars="|;<>&")
    reader.whitespace_split = True
    words = list(reader)
    # shlex forgets which words were quoted, and a pattern in quotes is none
    quoted = {word for found in re.finditer(r"'([^']*)'|\"([^\"]*)\"", line) for word in found.groups() if word}
    outcome, fed = Outcome(0, "", ""), b""
    for command, ends_with in commands_of(words):
        plain, source, target = redirected(command)
        stdin = Path(source).read_bytes() if source else fed
        outcome = call([part for word in plain for part in ([word] if word in quoted else expanded(word))], stdin)
        fed = outcome.out.encode(errors="surrogateescape") if ends_with == "|" else b""
        if target:
            Path(target).write_bytes(outcome.out.encode(errors="surrogateescape"))
        if outcome.code:
            return outcome
    return outcome


def commands_of(words: list[str]) -> list[tuple[list[str], str]]:
    """The commands of a line, each with the sign behind it."""
    found: list[tuple[list[str], str]] = [([], "")]
    for word in words:
        if word in {"|", ";", "&&"}:
            found[-1] = (found[-1][0], word)
            found.append(([], ""))
        else:
            found[-1][0].append(word)
    return found


def redirected(words: list[str]) -> tuple[list[str], str | None, str | None]:
    """The words of a command without its redirections; the files it reads and writes."""
    rest, files = list(words), dict[str, str]()
    for sign in ("<", ">"):
        if sign in rest:
            at = rest.index(sign)
            files[sign] = rest[at + 1]
            del rest[at : at + 2]
    return rest, files.get("<"), files.get(">")


def expanded(word: str) -> list[str]:
    """The files that a pattern stands for."""
    return sorted(map(str, Path().glob(word))) or [word] if re.search(r"[*?]", word) else [word]


def call(words: list[str], stdin: bytes) -> Outcome:
    """Call the program. What it is to make is not there beforehand."""
    if not words or words[0] != "antecede":
        raise ValueError(f"not a command of ours: {' '.join(words)}")
    if "--out" in words:
        made = Path(words[words.index("--out") + 1])
        shutil.rmtree(made, ignore_errors=True)
        made.unlink(missing_ok=True)
    return call_program(*words[1:], stdin=stdin)
