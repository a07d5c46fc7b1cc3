"""List, export, import and report the cases of the searcher's page, and manage its users."""
