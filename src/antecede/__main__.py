"""`python -m antecede` is the program."""

from antecede.cli import main

main()
