"""Many files read side by side: processes that read one source each, and the order of the files kept.

A process of its own is started afresh, not forked: threads, DuckDB's connections and a dashboard's session stay where
they are. It hands back rows as Arrow in a file, and the rest as one line of JSON; only the first process has a store.
"""
