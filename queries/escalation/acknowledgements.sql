-- Acknowledgements of alerts, the newest first: who, when, for which state, severity and band, until when. Whether one still
-- holds also depends on the alert as it is now.
SELECT
    ack_id,
    workload,
    state,
    severity,
    band_low,
    band_high,
    author,
    note,
    created_at,
    "until"
FROM acknowledgements
WHERE $workload IS NULL OR workload = $workload
ORDER BY created_at DESC, ack_id
