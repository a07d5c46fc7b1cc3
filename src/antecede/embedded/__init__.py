"""The embedded engine: searches over an index in a folder of this machine."""
