"""Runs beside their replays, and any two runs beside each other."""
