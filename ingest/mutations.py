"""Records of a run that was over, which come again from another file with other content: kept as stored, and flagged.

The same bytes read by a newer adapter are no change: only another file can tell another story.
"""

from __future__ import annotations

import duckdb

FLAG = "changed_since_stored"
# What a record says; a table without an entry is not compared. Spans and waits change by ending, which is no mutation.
_CONTENT = {
    "events": "kind, json_extract_string(attributes, '$.payload_hash')",
    "error_events": "level, type, error_code, tool_error_class, failure_class, details, result",
    "recovery_events": "chain, trigger, outcome, confidence",
}


def mark_changed(con: duckdb.DuckDBPyConnection, store: str) -> None:
    """The stored record is flagged where a staged one has its key and other content, and its run was over.

    `mutated` holds the flagged ones: they are news, although nothing new is stored.
    """
    con.execute("CREATE OR REPLACE TEMP TABLE mutated (kind VARCHAR, run_id VARCHAR, event_id VARCHAR)").fetchall()
    for table, content in _CONTENT.items():
        con.execute(_FIND.format(table=table, content=content, store=store, flag=FLAG)).fetchall()
        con.execute(_MARK.format(table=table, flag=FLAG)).fetchall()


_FIND = """
INSERT INTO mutated
SELECT DISTINCT '{table}', old.run_id, old.event_id
FROM (SELECT run_id, event_id, file_id, flags, row({content}) AS told FROM {table} WHERE unit = 0) AS old
JOIN (SELECT run_id, event_id, file_id, row({content}) AS told FROM {table} WHERE unit <> 0) AS new
  ON new.run_id = old.run_id AND new.event_id = old.event_id
WHERE new.file_id <> old.file_id AND new.told IS DISTINCT FROM old.told
  AND NOT list_contains(coalesce(old.flags, []), '{flag}')
  AND old.run_id IN (SELECT run_id FROM {store}.runs WHERE status NOT IN ('running', 'unknown', 'interrupted'))
"""
_MARK = """
UPDATE {table} SET flags = list_append(coalesce(flags, []), '{flag}')
FROM mutated
WHERE mutated.kind = '{table}' AND {table}.unit = 0
  AND {table}.run_id = mutated.run_id AND {table}.event_id = mutated.event_id
"""
