-- when: run_records WHERE json_extract_string(attributes, '$.outcome_from') = 'root_spans'
-- fills: run_records
-- The outcome of runs whose records are spans: what their roots say. A root is a span without a parent; a trace whose
-- root is not among the records may have crashed before the root was exported, so it never counts as succeeded.
DELETE FROM run_records WHERE event_id = 'derived:outcome' AND run_id IN (SELECT run_id FROM span_runs);

-- Spans that no root and no orphan leads to have themselves among their parents. Only where a span comes before its
-- parent can there be one.
CREATE OR REPLACE TEMP TABLE span_cycles AS
WITH RECURSIVE perhaps AS (
    SELECT DISTINCT s.run_id FROM spans s JOIN spans p ON p.run_id = s.run_id AND p.span_id = s.parent_span_id
    WHERE coalesce(p.seq >= s.seq, true) AND s.run_id IN (SELECT run_id FROM span_runs)
),
own AS (SELECT run_id, span_id, parent_span_id FROM spans WHERE run_id IN (SELECT run_id FROM perhaps)),
reached AS (
    SELECT run_id, span_id FROM own o
    WHERE parent_span_id IS NULL
       OR NOT EXISTS (SELECT 1 FROM own p WHERE p.run_id = o.run_id AND p.span_id = o.parent_span_id)
    UNION ALL
    SELECT own.run_id, own.span_id
    FROM reached JOIN own ON own.run_id = reached.run_id AND own.parent_span_id = reached.span_id
)
SELECT run_id, span_id FROM own ANTI JOIN reached USING (run_id, span_id);

UPDATE spans SET flags = list_distinct(list_append(flags, 'parent_cycle'))
FROM span_cycles c WHERE c.run_id = spans.run_id AND c.span_id = spans.span_id
  AND NOT list_contains(coalesce(flags, []), 'parent_cycle');

INSERT INTO run_records BY NAME
WITH own AS (SELECT run_id, span_id, parent_span_id FROM spans WHERE run_id IN (SELECT run_id FROM span_runs)),
roots AS (
    SELECT s.run_id, s.span_id, s.name, s.status, s.started_at, s.ended_at, coalesce(e.error_code, e.type) AS said,
           CASE WHEN (e.event_id IS NOT NULL AND s.status <> 'ok') OR s.status = 'error' THEN 'failed'
                WHEN s.status = 'open' THEN 'running' ELSE 'succeeded' END AS verdict,
           -- The worst root speaks for the run; of equals the earliest.
           row_number() OVER (
               PARTITION BY s.run_id
               ORDER BY CASE verdict WHEN 'failed' THEN 0 WHEN 'running' THEN 1 ELSE 2 END, s.started_at NULLS LAST,
                        s.span_id
           ) AS speaks
    FROM spans s
    LEFT JOIN error_events e
      ON e.run_id = s.run_id AND e.span_id = s.span_id AND e.event_id = s.span_id || '/error'
    WHERE s.parent_span_id IS NULL AND s.run_id IN (SELECT run_id FROM span_runs)
),
spoken AS (
    SELECT run_id, verdict, span_id,
           concat('root span ', span_id, ' (', name, ') ',
                  CASE WHEN verdict = 'running' THEN 'has no end: it is still open, or nobody closed it'
                       WHEN status = 'error' THEN 'has status ERROR' || coalesce(', ' || said, '')
                       WHEN verdict = 'failed' THEN 'has an error event' || coalesce(', ' || said, '')
                       WHEN status = 'ok' THEN 'ended with status OK'
                       ELSE 'ended with status UNSET, the normal end of a span' END) AS reason
    FROM roots WHERE speaks = 1
),
-- What the first root says names the run; where there is none, the earliest span names its workload.
first AS (
    SELECT rowid AS span_row FROM spans WHERE run_id IN (SELECT run_id FROM span_runs)
    QUALIFY row_number() OVER (
        PARTITION BY run_id ORDER BY parent_span_id IS NOT NULL, started_at NULLS LAST, span_id) = 1
),
naming AS (
    SELECT run_id, json_extract_string(attributes, '$."service.name"') AS service,
           json_extract_string(attributes, '$."session.id"') AS session,
           CASE WHEN parent_span_id IS NULL THEN name END AS name, file_id, part, line
    FROM first JOIN spans ON spans.rowid = first.span_row
),
bounds AS (SELECT run_id, count(*) AS roots, min(started_at) AS started_at, max(ended_at) AS ended_at FROM roots GROUP BY run_id),
missing AS (
    SELECT run_id, count(*) AS spans, min(o.parent_span_id) FILTER (
               NOT EXISTS (SELECT 1 FROM own p WHERE p.run_id = o.run_id AND p.span_id = o.parent_span_id)) AS parent
    FROM own o GROUP BY run_id
),
-- An outcome that a record gives itself, or an escalation or abort, stands before what a root's status tells.
said_otherwise AS (
    SELECT run_id FROM run_records WHERE status IS NOT NULL
    UNION SELECT run_id FROM error_events WHERE level = 'L5' OR result IN ('ABORTED', 'ESCALATED')
    UNION SELECT run_id FROM recovery_events WHERE basis = 'recorded' AND outcome IN ('ABORTED', 'ESCALATED')
    UNION SELECT run_id FROM guardrail_events WHERE action = 'ABORT'
),
facts AS (
    SELECT run_id, arg_min(source, event_id) AS source, arg_min(native_id, event_id) AS native_id,
           -- A workload that was given for the whole ingest is on every record, and stays.
           CASE WHEN count(*) = count(workload) THEN min(workload) END AS given,
           min(workload) AS any_workload,
           count(name) AS named,
           list_sort(list_distinct(flatten(list(coalesce(flags, []))))) AS flags
    FROM run_records WHERE run_id IN (SELECT run_id FROM span_runs) GROUP BY run_id
)
SELECT f.run_id, 'derived:outcome' AS event_id, f.source, f.native_id, 'recorded' AS identity,
       coalesce(f.given, n.service, f.any_workload) AS workload, n.session AS session_id,
       -- A name that the producer gave the run stands before the name of its root.
       CASE WHEN f.named = 0 THEN n.name END AS name,
       CASE WHEN f.run_id NOT IN (SELECT run_id FROM said_otherwise) THEN coalesce(s.verdict, 'unknown') END AS status,
       CASE WHEN f.run_id NOT IN (SELECT run_id FROM said_otherwise) THEN coalesce(
           s.reason || CASE WHEN b.roots > 1 THEN concat(' (one of ', b.roots, ' roots)') ELSE '' END,
           CASE WHEN m.spans IS NULL THEN 'no span of this trace is among the records'
                WHEN m.parent IS NULL THEN 'no span is a root: their parents form a cycle'
                ELSE concat('no root span among the records (parent ', m.parent, ' is missing): a run that crashed exports none')
           END) END AS status_reason,
       b.started_at, CASE WHEN s.verdict <> 'running' THEN b.ended_at END AS ended_at,
       nullif(f.flags, []) AS flags,
       json_object('outcome_from', 'root_spans', 'basis', 'derived', 'rule', 'root_span_status', 'root_span', s.span_id)
           AS attributes,
       n.file_id, n.part, n.line
FROM facts f
LEFT JOIN spoken s USING (run_id)
LEFT JOIN bounds b USING (run_id)
LEFT JOIN naming n USING (run_id)
LEFT JOIN missing m USING (run_id);
DROP TABLE span_cycles;
DROP TABLE span_runs;
