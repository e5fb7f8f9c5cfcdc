"""What is computed once, when records are loaded: signatures, outcomes, contract classes, profiles."""
