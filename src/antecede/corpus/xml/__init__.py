"""XML that cannot hurt: no DTD, no entity but named characters, no network."""
