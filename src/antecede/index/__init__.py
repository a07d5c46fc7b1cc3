"""The index: a sparse matrix on disk."""
