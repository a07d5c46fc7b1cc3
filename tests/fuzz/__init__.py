"""Seeded, bounded fuzzing: each case ends in the right number, or in one line of refusal with exit code 2.

`ANTECEDE_FUZZ=100` runs a hundred times as many cases as the default, `ANTECEDE_FUZZ_SEED=7` draws other ones.
"""
