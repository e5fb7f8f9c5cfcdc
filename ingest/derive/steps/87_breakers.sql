-- `breakers`: a full signature seen a second time in its run opened one; it closes when a recovery of the same failure succeeds.
DELETE FROM breakers;
INSERT INTO breakers BY NAME
WITH seen AS (
    SELECT
        run_id,
        signature,
        event_id,
        error_code,
        agent,
        occurred_at,
        seq,
        row_number() OVER (PARTITION BY run_id, signature ORDER BY seq) AS nth
    FROM error_events
    WHERE signature IS NOT NULL AND signature_partial = false
),
opened AS (
    SELECT
        run_id,
        signature,
        min(error_code) AS error_code,
        min(agent) AS agent,
        max(event_id) FILTER (nth = 2) AS opened_by,
        max(seq) FILTER (nth = 2) AS opened_seq,
        max(occurred_at) FILTER (nth = 2) AS opened_at,
        count(*) AS occurrences
    FROM seen
    GROUP BY run_id, signature
    HAVING count(*) >= 2
)
SELECT
    opened.run_id,
    opened.signature,
    opened.error_code,
    opened.agent,
    opened.opened_by,
    opened.opened_at,
    opened.occurrences,
    EXISTS (
        SELECT 1 FROM recovery_events
        WHERE recovery_events.run_id = opened.run_id AND recovery_events.signature = opened.signature
          AND recovery_events.seq > opened.opened_seq AND recovery_events.outcome = 'RECOVERED'
    ) AS is_closed
FROM opened;
