-- What a guardrail denied, or was asked to approve, by decision and reason. A denial is a decision: neither error nor retry.
-- portable
SELECT
    coalesce(guardrail_events.decision, 'asked for approval') AS decision,
    guardrail_events.reason_code,
    count(*) AS times,
    count(DISTINCT guardrail_events.run_id) AS runs,
    count(*) FILTER (
        EXISTS (
            SELECT 1 FROM findings
            WHERE findings.run_id = guardrail_events.run_id AND findings.rule = 'policy-denial-bypassed'
              AND json_extract_string(findings.evidence, '$.denial') = guardrail_events.event_id
        )
    ) AS bypassed,
    min(guardrail_events.destination) AS example
FROM guardrail_events
JOIN runs ON runs.run_id = guardrail_events.run_id
WHERE (guardrail_events.decision IS NOT NULL OR guardrail_events.destination IS NOT NULL)
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
  AND ($since IS NULL OR started_at >= $since)
  AND ($until IS NULL OR started_at < $until)
GROUP BY ALL
ORDER BY times DESC, decision, guardrail_events.reason_code
