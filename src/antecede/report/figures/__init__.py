"""Figures as papers print them; each draws the result that a table shows.

    from antecede.report.figures import FIGURES
    FIGURES["robustness"](result)                            # in a notebook
    FIGURES["robustness"].write("robustness.svg", result)    # .svg, .png or .pdf

The same result always gives the same bytes. Series are distinguished by marker, line style or position as well as by
colour, and figures fit one or both columns of a paper. To add a figure, decorate a function with `figure` (see
`paper.py`), here or in a file of its own.
"""

from antecede.report.figures.paper import (
    FIGURES,
    FigureDefinition,
    PaperFigure,
    figure,
    plot_result,
    render,
    resolve_format,
)

__all__ = [
    "FIGURES",
    "FigureDefinition",
    "PaperFigure",
    "figure",
    "plot_result",
    "render",
    "resolve_format",
]
