"""Finds, recognises, reads and stores records; the only room that writes to the store."""
