"""Recovery: what the chains achieved, how sure we are, and whether they kept their own rules."""
