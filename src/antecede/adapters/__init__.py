"""Bridges to other tools: ir_measures, PyTerrier, pandas. Each is loaded only when its own file is imported."""
