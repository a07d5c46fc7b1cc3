"""The compiled loops of a search: where they are not on disk yet, a second process helps to compile them.

A verb that searches announces them before it loads anything else, a verb that builds an index has them compiled for the
searches to come. Nothing is started where all are on disk, which takes a millisecond to find out.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antecede.index import Progress

KERNELS = (
    "antecede.text.scanner:scan_words",
    "antecede.text.vocabulary:look_up",
    "antecede.text.vocabulary:copy_words",
    "antecede.text.scanner:key_terms",
    "antecede.text.term_tables:count_terms",
    "antecede.index.codec:numbers_into",
    "antecede.index.matrix:decode_terms_into",
    "antecede.index.matrix:find_terms_into",
    "antecede.index.codec:decode_into",
    "antecede.search.kernel:add_postings",
    "antecede.index.matrix:are_ranks",
    "antecede.search.kernel:collect_keys",
    "antecede.ranking.vectors:put_matches",
    "antecede.ranking.vectors:put_sums",
    "antecede.ranking.vectors:put_tabled_sums",
    "antecede.ranking.vectors:add_squares",
    "antecede.search.kernel:find_row",
)
"""The compiled loops of a search with the default ranking, in the order in which they are called."""
AHEAD = (
    "antecede.index.codec:decode_into",
    "antecede.index.matrix:find_terms_into",
    "antecede.index.matrix:decode_terms_into",
    "antecede.text.term_tables:count_terms",
    "antecede.index.matrix:are_ranks",
    "antecede.ranking.vectors:put_matches",
    "antecede.ranking.vectors:put_sums",
    "antecede.ranking.vectors:put_tabled_sums",
    "antecede.ranking.vectors:add_squares",
)
"""What the second process begins with: half of the work, what takes long first, so that the two meet at a short one.

Nothing of `antecede.search` is among it: to import that package takes as long as to compile two kernels.
"""


def expect_search() -> None:
    """Announce that this process is going to search."""
    from antecede.text.compiler import expect_kernels

    expect_kernels(KERNELS, AHEAD)


@contextmanager
def compile_during_build(
    report: Callable[[Progress], None], memory: int, workers: int | None
) -> Iterator[Callable[[Progress], None]]:
    """Compile the loops of a search during a build, and give the function to which the build reports its progress.

    The process that compiles them has a low priority, and ends with this one. Where the memory limit has no room for it
    beside the workers of the build, it ends as soon as these have begun. No process is added to a single worker.
    """
    from antecede.index.resources import PROCESS, resources_for
    from antecede.text.compiler import compile_ahead

    resources = resources_for(memory, workers)
    compiler = compile_ahead(KERNELS, AHEAD) if resources.workers > 1 else None
    if compiler is None or resources.spare >= PROCESS:
        yield report
        return

    def report_and_end(progress: Progress) -> None:
        compiler.kill()
        report(progress)

    yield report_and_end
