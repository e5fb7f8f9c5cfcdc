"""Failures: their classes, codes and signatures, and what is not classified."""
