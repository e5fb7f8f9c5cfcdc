"""Ingest: what was loaded, and what was refused and why."""
