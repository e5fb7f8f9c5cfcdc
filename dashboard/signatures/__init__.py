"""The people side of signatures: what a reviewer decides about them."""
