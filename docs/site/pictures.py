"""The pictures of the explanation pages: `python -m docs.site.pictures` draws them into docs/images."""

from __future__ import annotations

from pathlib import Path

import antecede as ac
from antecede.report.figures.paper import PAGE, PaperFigure, new_figure, paper_settings, render
from docs.site.evidence import Figures, read_figures

IMAGES = Path(__file__).resolve().parents[1] / "images"
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#777777"
RANKINGS = {
    "A: one at once, the others at 98 to 100": ([1, 98, 99, 100], BLUE),
    "B: all together, at 50 to 53": ([50, 51, 52, 53], ORANGE),
}
CUTOFFS = (10, 20, 30, 40, 49, 50, 51, 52, 53, 55, 60, 70, 80, 90, 97, 98, 99, 100, 120, 150, 200, 300, 500, 700, 1000)


def draw_pres() -> PaperFigure:
    """Two rankings of four relevant documents: what a reader finds, and what PRES makes of it at each cut-off."""
    sheet = new_figure(PAGE, 2.5)
    found, scored = sheet.subplots(1, 2)
    for name, (ranks, colour) in RANKINGS.items():
        steps = [0, *ranks, 120]
        found.step(steps, [0, *(at / 4 for at in range(1, 5)), 1], where="post", color=colour, label=name)
        values = [ac.score(f"PRES@{cutoff}", found=[r for r in ranks if r <= cutoff], relevant=4) for cutoff in CUTOFFS]
        scored.plot(CUTOFFS, values, color=colour)
    found.set_title("Recall as the reader goes down the list")
    found.set_xlabel("documents read")
    found.set_ylabel("recall")
    found.set_xlim(0, 120)
    scored.set_title("PRES@N")
    scored.set_xlabel("N, the number of documents a searcher would read")
    scored.set_xscale("log")
    scored.set_xticks([10, 50, 100, 500, 1000], ["10", "50", "100", "500", "1,000"])
    scored.set_xticks([], minor=True)
    for axes in (found, scored):
        axes.set_ylim(0, 1.02)
        axes.grid(visible=True)
    sheet.legend(*found.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return sheet


LABELS: dict[str, dict[str, tuple[int, int]]] = {
    "abstracts": {
        "known when to stop": (-2, 7),
        "calibrated(left=0.05)": (7, 3),
        "share_without_find(share=0.1)": (7, -9),
        "misses(n=200)": (7, -3),
        "depth(n=100)": (7, -3),
        "knee": (-8, -13),
        "autostop": (-2, 7),
        "quasi_sampling": (-36, -13),
        "qbcb": (-6, 7),
    },
    "TREC-8, fused": {
        "known when to stop": (-2, 7),
        "calibrated(left=0.05)": (7, 3),
        "share_without_find(share=0.1)": (-66, -15),
        "misses(n=200)": (7, -3),
        "depth(n=100)": (7, -3),
        "knee": (0, -14),
        "autostop": (6, -12),
        "quasi_sampling": (-10, -13),
        "qbcb": (-6, 7),
    },
}
"""Where the name of a rule stands, in points from its mark; the others have no name."""


def draw_stopping() -> PaperFigure:
    """Reliability of the stopping rules against the share of the list that they read, on two collections."""
    figures = [each for each in read_figures("stopping") if each.part == "rule"]
    at = Figures(figures)
    sheet = new_figure(PAGE, 2.9)
    for axes, collection in zip(sheet.subplots(1, 2, sharey=True), ("abstracts", "TREC-8, fused"), strict=True):
        for rule in dict.fromkeys(each.system for each in figures):
            effort, reliability = (at.value(collection, "rule", rule, what) for what in ("effort", "reliability"))
            known, ours = rule.startswith("known"), rule.startswith("calibrated")
            colour = GREY if known else ORANGE if ours else BLUE
            axes.plot([effort], [reliability], "D" if known else "s" if ours else "o", color=colour)
            place = LABELS[collection].get(rule)
            if place is not None:
                name = "ideal" if known else rule.partition("(")[0]
                axes.annotate(
                    name, (effort, reliability), place, textcoords="offset points", fontsize=6.5, color=colour
                )
        axes.axhline(0.95, color=GREY, linewidth=0.8, linestyle=":")
        axes.set_title(
            {"abstracts": "Patents: few relevant documents"}.get(collection, "TREC-8: many relevant documents")
        )
        axes.set_xlabel("effort: share of the list that is read")
        axes.set_xlim(-0.03, 1.08)
        axes.set_ylim(0, 1.12)
        axes.grid(visible=True)
    sheet.axes[0].set_ylabel("share of topics with 95 % recall")
    return sheet


def main() -> None:
    with paper_settings():
        for name, draw in (("pres", draw_pres), ("stopping", draw_stopping)):
            (IMAGES / f"{name}.svg").write_bytes(render(draw(), "svg"))


if __name__ == "__main__":
    main()
