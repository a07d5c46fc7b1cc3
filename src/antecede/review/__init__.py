"""Review: how much of what is relevant has been found, and when to stop reading."""
