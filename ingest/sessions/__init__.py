"""Session transcripts: what the readers of coding agents' sessions share, and the records of each of them."""
