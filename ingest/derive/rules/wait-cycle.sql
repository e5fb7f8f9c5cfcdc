-- rule: wait-cycle
-- severity: error
-- statement: Agents wait for one another at the same time, and nobody raises an error.
-- needs: waiter and holder of a wait
-- advice: One side must yield by a fixed rule: give the waits a deadline and an order.
-- when: waits
SELECT run_id, event_id, true AS violated,
       array_to_string(members, ' → ') || ': ' || CASE len(members) WHEN 2 THEN 'an agent waits for itself'
           ELSE (len(members) - 1) || ' agents wait for one another' END AS message,
       json_object('cycle', members, 'waits', waits, 'since', since) AS evidence
FROM wait_cycles
UNION ALL
SELECT run_id, event_id, CASE WHEN waiter IS NULL OR holder IS NULL THEN NULL ELSE false END, NULL, NULL
FROM waits WHERE NOT EXISTS (SELECT 1 FROM wait_cycles c WHERE c.run_id = waits.run_id AND list_contains(c.waits, waits.event_id))
