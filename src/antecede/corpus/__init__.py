"""Patents in: formats, archives, citations, synthetic collections."""
