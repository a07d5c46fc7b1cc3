"""Files, folders and archives as streams of bytes, hardened against malicious input."""
