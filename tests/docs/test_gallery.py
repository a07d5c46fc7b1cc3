"""The gallery shows every figure, each with a command that a page of the docs has, and so a test runs."""

from __future__ import annotations

import pytest

from antecede.report.figures import FIGURES
from antecede.report.figures.paper import find_figure
from antecede.review.judged_topics import JudgedReading
from antecede.review.reading import Reading
from docs.site import gallery
from docs.site.gallery import GALLERY, GalleryFigure
from docs.site.pages import DOCS
from tests.documented import SHELL, blocks, pages


def test_every_figure_is_in_the_gallery() -> None:
    assert {each.figure for each in GALLERY} == {*FIGURES}
    assert len({each.image for each in GALLERY}) == len(GALLERY)


def test_the_commands_of_the_gallery_are_documented_elsewhere() -> None:
    written = {line for page in pages() for block in blocks(page, *SHELL) for line in block.commands}
    assert {each.command for each in GALLERY} <= written


def test_stored_images_exist() -> None:
    for each in GALLERY:
        assert each.stored is None or (DOCS / each.stored).exists()


def shortened(topic: JudgedReading) -> JudgedReading:
    """The topic with the first 30 documents of its list alone."""
    head = topic.reading.up_to(30)
    return JudgedReading(topic.topic_id, Reading(head.relevant, head.read), head.found)


@pytest.mark.parametrize("each", [each for each in GALLERY if each.make is not None], ids=lambda each: each.title)
def test_a_result_is_one_that_its_figure_draws(each: GalleryFigure, monkeypatch: pytest.MonkeyPatch) -> None:
    """That every figure can be drawn is tested with the figures; of the judged topics a few, and short, are enough."""
    few = [shortened(topic) for topic in gallery.read_judged_topics()[:20]]
    monkeypatch.setattr(gallery, "read_judged_topics", lambda: few)
    assert each.make is not None
    drawn = find_figure(each.make()).name
    of_scores = ("rank_changes", "topic_differences", "precision_recall")
    assert drawn == each.figure or (each.figure in of_scores and drawn == "systems")
