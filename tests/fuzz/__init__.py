"""Seeded, bounded fuzzing: each case ends in the right number, or in one line of refusal with exit code 2.

`make fuzz` goes on with new seeds for a while. `ANTECEDE_FUZZ=10` draws ten times the cases of one of its rounds,
`ANTECEDE_FUZZ_SEED=7` other ones.
"""
