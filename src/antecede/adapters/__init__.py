"""Adapters to other tools: ir_measures, PyTerrier, pandas. Each tool is loaded only when its adapter is imported."""
