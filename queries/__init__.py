"""Answers questions about the store. Reads only."""
