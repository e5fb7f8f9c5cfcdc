"""Effects that may exist, and what became of the context: reset, rollback, checkpoint, compaction."""
