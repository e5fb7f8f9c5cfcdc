-- Messages about alerts that were delivered, in the order of sending; `target` is the digest of the address.
SELECT
    workload,
    target,
    kind,
    to_state,
    severity,
    day,
    ack_id,
    sent_at
FROM notifications
WHERE ($workload IS NULL OR workload = $workload)
  AND ($target IS NULL OR target = $target)
ORDER BY sent_at, workload
