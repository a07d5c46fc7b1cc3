"""Parts of documents that several formats write alike: numbers, dates, names, claims, prose."""
