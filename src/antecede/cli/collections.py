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
    from antecede.corpus.collection import Ledger
    from antecede.corpus.document import Rejected

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
        "--field",
        metavar="OURS=THEIRS",
        help="What a JSON source or a table calls a field, as in title=title_localized.text; may be repeated.",
    ),
]
PresetName = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="google|lens",
        help="Which database a JSON source or a table was exported from.",
        show_default="recognised by its keys",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first document that cannot be read.")]
Rejects = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.jsonl", help="Write each rejected document, with its reason, to this file.", show_default=False
    ),
    Output(),
]


@dataclass(frozen=True)
class Patents:
    """The collection, and how to treat documents that cannot be read."""

    collections: Paths
    field: Fields = None
    preset: PresetName = None
    strict: Strict = False
    rejects: Rejects = None
    quiet: options.Quiet = False

    def collection(
        self, progress: Callable[[int, int], None] | None, on_reject: Callable[[Rejected], None] | None = None
    ) -> Collection:
        """The collection, ready to be read; `on_reject` comes from `rejects_file`."""
        from antecede.corpus import Collection
        from antecede.errors import UsageError
        from antecede.opensearch.address import is_address

        for each in self.collections:
            if is_address(each):
                raise UsageError(f"{each}: is an index on a cluster; a collection is made of files")
        return Collection(
            *self.collections,
            names=field_names(self.field, self.preset),
            strict=self.strict,
            on_reject=on_reject,
            on_note=None if self.quiet else show_note,
            progress=progress,
        )


def field_names(field: list[str] | None, preset: str | None) -> dict[str, str]:
    """Our fields, and what the source calls them, with the name of the preset if one is chosen."""
    from antecede.errors import UsageError

    pairs = [pair.partition("=") for pair in field or ()]
    for ours, sign, theirs in pairs:
        if not (ours and sign and theirs):
            raise UsageError(f"--field {ours}{sign}{theirs}: write it as ours=theirs, as in --field doc_id=id")
        if ours == "preset":
            raise UsageError(f"--field {ours}{sign}{theirs}: write it as --preset {theirs}")
    names = {ours: theirs for ours, _, theirs in pairs}
    return names if preset is None else {**names, "preset": preset}


def show_note(note: str) -> None:
    """Show a note on standard error."""
    show_text(f"antecede: {note}", error=True)


@contextmanager
def rejects_file(path: Path | None) -> Iterator[Callable[[Rejected], None] | None]:
    """A function that writes rejected documents to the file of `--rejects`; None if there is no such file.

    The file is complete or does not appear.
    """
    if path is None:
        yield None
        return
    from antecede.corpus.collection import RejectsFile

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
