"""One file a figure, and what they share: the style, the names of runs, labels beside lines, and writing files."""
