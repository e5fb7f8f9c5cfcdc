-- rule: reported-metrics-differ
-- severity: warning
-- statement: A reported recovery_metrics value is not the recomputed one.
-- needs: finished recovery attempts of the run
-- advice: Believe the records: success and escalation are shares of finished attempts, aborted ones included.
-- when: reported_metrics
WITH attempts AS (
    SELECT run_id, chain, confidence, outcome, outcome IN ('RECOVERED', 'ESCALATED', 'ABORTED') AS is_finished
    FROM recovery_events WHERE basis = 'recorded' AND run_id IN (SELECT run_id FROM reported_metrics)
),
per_chain AS (
    SELECT run_id, chain, count(*) AS attempts, avg(confidence) AS avg_confidence,
           count(*) FILTER (outcome = 'RECOVERED') / nullif(count(*) FILTER (is_finished), 0) AS success_rate
    FROM attempts GROUP BY run_id, chain
),
whole AS (
    SELECT run_id, count(*) AS attempts, avg(confidence) AS avg_confidence,
           count(*) FILTER (outcome = 'RECOVERED') / nullif(count(*) FILTER (is_finished), 0) AS success_rate,
           count(*) FILTER (outcome = 'ESCALATED') / nullif(count(*) FILTER (is_finished), 0) AS escalation_rate
    FROM attempts GROUP BY run_id
),
compared AS (
    SELECT m.run_id, m.event_id, m.chain, w.attempts AS recorded, unnest([
        {'name': 'attempts', 'reported': m.attempts::DOUBLE, 'recomputed': CASE WHEN m.chain IS NULL THEN w.attempts ELSE coalesce(c.attempts, 0) END::DOUBLE, 'tolerance': 0.0},
        {'name': 'success_rate', 'reported': m.success_rate, 'recomputed': CASE WHEN m.chain IS NULL THEN w.success_rate ELSE c.success_rate END, 'tolerance': 0.005},
        {'name': 'avg_confidence', 'reported': m.avg_confidence, 'recomputed': CASE WHEN m.chain IS NULL THEN w.avg_confidence ELSE c.avg_confidence END, 'tolerance': 0.005},
        {'name': 'escalation_rate', 'reported': m.escalation_rate, 'recomputed': w.escalation_rate, 'tolerance': 0.005}
    ]) AS value
    FROM (SELECT run_id, event_id, attempts, success_rate, avg_confidence, escalation_rate,
                 coalesce(nullif(regexp_extract(upper(trim(chain)), '(?:^|CHAIN[_ -]?)([ABC])$', 1), ''), chain) AS chain
          FROM reported_metrics) m
    LEFT JOIN whole w USING (run_id) LEFT JOIN per_chain c ON c.run_id = m.run_id AND c.chain = m.chain
)
SELECT run_id, event_id,
       CASE WHEN coalesce(recorded, 0) = 0 THEN NULL ELSE abs(value.reported - value.recomputed) > value.tolerance + 1e-9 END AS violated,
       coalesce('chain ' || chain || ': ', '') || value.name || ' is reported as ' || round(value.reported, 3)
           || ', the records give ' || round(value.recomputed, 3) AS message,
       json_object('metric', value.name, 'chain', chain, 'reported', value.reported, 'recomputed', value.recomputed) AS evidence
FROM compared WHERE value.reported IS NOT NULL
