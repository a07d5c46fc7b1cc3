"""Figures, the HTML report, and patents and hits as text.

`figures/` holds figures for papers, drawn by matplotlib. `html.py` writes the report, a page whose sections are data
for the templates (`*_section*.py`) and whose building blocks (tables, embedded figures) are in `page.py`.
matplotlib is imported only here, and only when something is drawn.
"""
