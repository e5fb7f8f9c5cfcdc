"""The parts of the recovery page."""
