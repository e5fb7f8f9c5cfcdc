"""The formats: one file each, found by the registry. Adapters do not know one another, nor the store."""
