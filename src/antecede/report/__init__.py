"""Figures, the HTML report, and patents and hits as text.

`figures/` holds figures for papers, drawn by matplotlib, one file per figure. `html.py` writes the report, a page whose
sections are in `sections/` and whose building blocks (tables, embedded figures, charts) are in `page/`. matplotlib is
imported only here, and only when something is drawn.
"""
