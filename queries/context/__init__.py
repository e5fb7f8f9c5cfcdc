"""Which stage of the context lost what a step needed: differences of the six sets, lost items, and who owns them."""
