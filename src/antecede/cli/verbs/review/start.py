"""antecede review start"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from antecede.cli import options
from antecede.cli.bundles import SearchOptions, Settings, verb
from antecede.cli.outputs import FOLDER, Input, Output
from antecede.ranges import DOCUMENTS


class Feedback(StrEnum):
    active = "active"
    static = "static"


class Maybe(StrEnum):
    relevant = "relevant"
    irrelevant = "irrelevant"


@verb(
    "antecede review start clefip.index EP1234567 --out case1",
    'antecede review start clefip.index --text "mesh network of battery powered sensors" --out case2',
    "antecede review start a.run EP1234567 --out case3",
    "antecede review start clefip.index EP1234567 --calibration clefip.calibration.json --out case5",
    "antecede review start a.run EP1234567 --index clefip.index --out case4 --audit 5 --json",
)
def start(
    *,
    source: Annotated[
        str,
        typer.Argument(
            metavar="INDEX|RUN",
            help="The folder or address of an index, which is searched, or a run that ranks the documents.",
            show_default=False,
        ),
        Input(),
    ],
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPIC]",
            help="What is sought: of an index a patent by its number, or a file; of a run one of its topics.",
            show_default=False,
        ),
        Input(),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(metavar="DIR", help="The folder of the review; it must be new or empty.", show_default=False),
        Output(FOLDER),
    ],
    text: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS", help="What is sought, in words, in place of TOPIC or besides the topic of a run."
        ),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(metavar="INDEX", help="With a run: an index with its documents, for texts and active learning."),
        Input(),
    ] = None,
    feedback: Annotated[
        Feedback | None,
        typer.Option(
            help="Re-rank what is unread by active learning, or read in the order of the first ranking.",
            show_default="that of the calibration, or active with an index",
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            **DOCUMENTS.bounds,
            help="How many documents can be read at most.",
            show_default="10,000 of an index, all of a run",
        ),
    ] = None,
    audit: Annotated[int, typer.Option(min=0, help="The size of a random sample that is read before the ranking.")] = 0,
    maybe: Annotated[
        Maybe, typer.Option(help="Whether documents marked as maybe count as relevant in counts and estimates.")
    ] = Maybe.relevant,
    calibration: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.json",
            help="A file of review calibrate, made with the same ranking and feedback, to estimate and stop by.",
        ),
        Input(),
    ] = None,
    seed: options.Seed = 0,
    settings: Annotated[Settings, SearchOptions(without=("k", "relevant", "irrelevant"))],
    json: options.Json = False,
) -> None:
    """Start a review: rank the documents that can be read, and make the folder that the marks are saved in."""
    from antecede.cli.collections import show_note
    from antecede.cli.output import show_json, show_table
    from antecede.errors import UsageError
    from antecede.opensearch.address import is_address
    from antecede.review.batches import LearningSettings
    from antecede.review.sources import DEPTH, start_review, start_review_of_run
    from antecede.review.status import review_status

    learning = LearningSettings(seed=seed)
    how: dict[str, Any] = {
        "audit": audit,
        "maybe": maybe is Maybe.relevant,
        "learning": learning,
        "calibration": calibration,
        "feedback": feedback.value if feedback is not None else None,
    }
    if is_address(source) or Path(source).is_dir():
        from antecede.engine import open_index
        from antecede.search.engine import find_topic

        if (topic is None) == (text is None):
            raise UsageError("say what is sought: either a patent, or --text")
        if index is not None:
            raise UsageError("--index belongs to a run; the documents of an index are its own")
        opened = open_index(source)
        sought = text if text is not None else find_topic(opened, topic or "-", on_note=show_note)
        made = start_review(out, opened, sought, settings, depth=depth or DEPTH, **how)
    else:
        if topic is None:
            raise UsageError("name the topic of the run that is reviewed")
        made = start_review_of_run(
            out,
            source,
            topic,
            index=index,
            text=text or "",
            depth=depth,
            **how,
        )
    with made as review:
        status = review_status(review)
    if json:
        show_json({**status.to_dict(), "folder": str(out)})
    else:
        show_table(status.tables()[0], "text")
