"""Runs: how each really ended, and what happened in it."""
