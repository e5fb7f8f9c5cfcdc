-- A phase of a lifecycle, in its order, with every name it goes by.
SELECT
    lifecycle,
    phase,
    any_value(position) AS position,
    string_agg(alias, ', ' ORDER BY alias) FILTER (alias <> phase) AS also
FROM phase_order
WHERE $lifecycle IS NULL OR lifecycle = $lifecycle
GROUP BY lifecycle, phase
ORDER BY lifecycle DESC, position
