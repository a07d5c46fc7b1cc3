"""Parts of documents that several formats share: numbers, dates, names, claims, prose."""
