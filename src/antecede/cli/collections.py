"""The options for reading a collection, as one bundle, and the summary after it was read."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antecede.cli import options
from antecede.cli.output import show_text
from antecede.cli.outputs import Input, Output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antecede.corpus import Collection
    from antecede.corpus.document import Rejected
    from antecede.corpus.ledger import Ledger

Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="COLLECTION...",
        help="Patents: files, folders, archives (.zip .tar .gz .bz2 .xz .zst) of any format; - for standard input.",
        show_default=False,
    ),
    Input(),
]
Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--field", metavar="OURS=THEIRS", help="The name that a JSON source uses for a field; may be repeated."
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first document that cannot be read.")]
Rejects = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.jsonl", help="Write each rejected document, with its reason, to this file.", show_default=False
    ),
    Output("rejects"),
]


@dataclass(frozen=True)
class Patents:
    """The collection, and how to treat documents that cannot be read."""

    collections: Paths
    field: Fields = None
    strict: Strict = False
    rejects: Rejects = None
    quiet: options.Quiet = False

    def collection(
        self, progress: Callable[[int, int], None] | None, on_reject: Callable[[Rejected], None] | None = None
    ) -> Collection:
        """The collection, ready to be read; `on_reject` comes from `rejects_file`."""
        from antecede.corpus import Collection

        return Collection(
            *self.collections, names=self.names(), strict=self.strict, on_reject=on_reject, progress=progress
        )

    def names(self) -> dict[str, str]:
        """The fields, with the names that the source uses for them."""
        from antecede.errors import UsageError

        pairs = [pair.partition("=") for pair in self.field or ()]
        for ours, equals, theirs in pairs:
            if not (ours and equals and theirs):
                raise UsageError(f"--field {ours}{equals}{theirs}: write it as ours=theirs, as in --field doc_id=id")
        return {ours: theirs for ours, _, theirs in pairs}


@contextmanager
def rejects_file(path: Path | None) -> Iterator[Callable[[Rejected], None] | None]:
    """A function that writes rejected documents to the file of `--rejects`; None if there is no such file.

    The file is complete or does not appear.
    """
    if path is None:
        yield None
        return
    from antecede.corpus.ledger import RejectsFile

    with RejectsFile(path) as file:
        yield file


def close(ledger: Ledger, *, quiet: bool) -> None:
    """Print the counts of the documents; exit code 1 where too many were rejected."""
    if not quiet:
        show_text(
            f"{ledger.read} read = {ledger.patents} patents + {ledger.merged} merged + {ledger.rejected} rejected",
            error=True,
        )
    if ledger.failed:
        raise typer.Exit(1)
