"""The verbs: one file each, with one function of the same name."""
