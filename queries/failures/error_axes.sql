-- Errors on each axis for itself: severity level, tool error class, context failure class, agent error code. The axes
-- are independent questions; an error may stand on several or on none.
-- Whole days are read from the sums by day, any other window from the errors themselves.
-- portable
WITH chosen AS (
    SELECT run_id
    FROM runs
    WHERE NOT (coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
               AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true))
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
vocabulary AS (
    SELECT axis, value, means
    FROM (VALUES
        ('severity level', 'L0', 'capture failure: the answer may be there, nobody caught it'),
        ('severity level', 'L1', 'retried automatically'),
        ('severity level', 'L2', 'adjusted automatically'),
        ('severity level', 'L3', 'rolled back, or a recovery chain ran'),
        ('severity level', 'L4', 'escalated to a person'),
        ('severity level', 'L5', 'aborted'),
        ('tool error class', 'invocation', 'malformed call: change the call'),
        ('tool error class', 'transport', 'no side effect possible: a bare retry is legitimate, at most 3'),
        ('tool error class', 'execution', 'it ran and truly failed: diagnose the work, not the call'),
        ('tool error class', 'partial_success', 'some units succeeded: redo only the failed ones'),
        ('tool error class', 'state_conflict', 'stale precondition: re-read, update the plan, never force'),
        ('tool error class', 'policy_denial', 'said no: stop and escalate, terminal for the agent'),
        ('tool error class', 'unknown_outcome', 'an effect may have landed: check the resource first'),
        ('agent error code', 'TIMEOUT', 'retry while policy allows'),
        ('agent error code', 'TRANSIENT', 'retry with delay'),
        ('agent error code', 'VALIDATION_ERROR', 'correct the data, never retry unchanged input'),
        ('agent error code', 'FATAL', 'abort'),
        ('agent error code', 'EXEC_ERROR', 'a workflow step failed'),
        ('agent error code', 'SECURITY', 'abort'),
        ('context failure class', 'omission', 'fix the required set'),
        ('context failure class', 'overload', 'cut volume, not sources'),
        ('context failure class', 'conflict', 'authority, not order'),
        ('context failure class', 'staleness', 'freshness typing'),
        ('context failure class', 'misrouting', 'routing'),
        ('context failure class', 'wrong_authority', 'authority per question'),
        ('context failure class', 'retrieval_failure', 'ingestion, index, query; not the reranker'),
        ('context failure class', 'ranking_failure', 'rerank, budget; not ingestion'),
        ('context failure class', 'summary_drift', 'compression check'),
        ('context failure class', 'memory_pollution', 'memory rules'),
        ('context failure class', 'instruction_collision', 'precedence, else stop'),
        ('context failure class', 'context_poisoning', 'instruction gate'),
        ('context failure class', 'secret_leakage', 'resolve inside the tool'),
        ('context failure class', 'scope_leakage', 'gate before rank'),
        ('context failure class', 'hidden_dependency', 'inventory'),
        ('context failure class', 'tool_context_mismatch', 'refresh per phase')
    ) AS listed (axis, value, means)
),
placed AS (
    SELECT run_id, 'severity level' AS axis, level AS value FROM error_events
    UNION ALL
    SELECT run_id, 'tool error class' AS axis, tool_error_class AS value FROM error_events
    UNION ALL
    SELECT run_id, 'context failure class' AS axis, context_failure_class AS value FROM error_events
    UNION ALL
    SELECT run_id, 'agent error code' AS axis, agent_error_code AS value FROM error_events
),
counted AS (
    SELECT
        axis,
        value,
        errors,
        runs
    FROM error_days
    WHERE axis IN ('severity level', 'tool error class', 'context failure class', 'agent error code')
      AND coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR day >= CAST(CAST($since AS TIMESTAMPTZ) AS DATE))
      AND ($until IS NULL OR day < CAST(CAST($until AS TIMESTAMPTZ) AS DATE))
    UNION ALL
    SELECT
        placed.axis,
        placed.value,
        count(*) AS errors,
        count(DISTINCT placed.run_id) AS runs
    FROM placed
    JOIN chosen ON chosen.run_id = placed.run_id
    WHERE placed.value IS NOT NULL
    GROUP BY placed.axis, placed.value
)
SELECT
    counted.axis,
    counted.value,
    bool_or(vocabulary.value IS NOT NULL) AS known,
    min(vocabulary.means) AS means,
    CAST(sum(counted.errors) AS BIGINT) AS errors,
    CAST(sum(counted.runs) AS BIGINT) AS runs
FROM counted
LEFT JOIN vocabulary ON vocabulary.axis = counted.axis AND vocabulary.value = counted.value
GROUP BY counted.axis, counted.value
ORDER BY counted.axis, errors DESC, counted.value
