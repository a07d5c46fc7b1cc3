"""Which documents are meant: one tree of conditions, its parser, and the fields whose facts it asks for."""
