"""antecede: find what came before, and know how much of it you found."""
