"""Overview: how runs end, and what there is in the store."""
