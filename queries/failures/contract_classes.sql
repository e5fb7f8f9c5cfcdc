-- Contract classes with the operator's response and how often each was broken. `runs` counts runs whose own class it
-- is, also those that were refused before any error was recorded.
-- Whole days are read from the sums by day, any other window from the errors themselves.
-- portable
WITH
-- include ../_chosen_in_time.sql
,
parts AS (
    SELECT
        value AS contract_class,
        errors,
        marked AS recorded,
        differing AS derived
    FROM error_days
    WHERE axis = 'contract class'
      AND coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR day >= CAST(CAST($since AS TIMESTAMPTZ) AS DATE))
      AND ($until IS NULL OR day < CAST(CAST($until AS TIMESTAMPTZ) AS DATE))
    UNION ALL
    SELECT
        error_events.contract_class,
        count(*) AS errors,
        count(*) FILTER (error_events.contract_class_basis = 'recorded') AS recorded,
        count(*) FILTER (error_events.contract_class_basis = 'derived') AS derived
    FROM error_events
    JOIN chosen ON chosen.run_id = error_events.run_id
    WHERE error_events.contract_class IS NOT NULL
      AND NOT (coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
               AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true))
    GROUP BY error_events.contract_class
),
by_error AS (
    SELECT
        contract_class,
        CAST(sum(errors) AS BIGINT) AS errors,
        CAST(sum(recorded) AS BIGINT) AS recorded,
        CAST(sum(derived) AS BIGINT) AS derived
    FROM parts
    GROUP BY contract_class
),
by_run AS (
    SELECT
        contract_class,
        count(*) AS runs
    FROM chosen
    WHERE contract_class IS NOT NULL
    GROUP BY contract_class
),
named AS (
    SELECT contract_class FROM contract_classes
    UNION
    SELECT contract_class FROM by_error
    UNION
    SELECT contract_class FROM by_run
)
SELECT
    named.contract_class,
    contract_classes.contract_class IS NOT NULL AS known,
    contract_classes.operator_response,
    coalesce(by_error.errors, 0) AS errors,
    coalesce(by_error.recorded, 0) AS recorded,
    coalesce(by_error.derived, 0) AS derived,
    coalesce(by_run.runs, 0) AS runs
FROM named
LEFT JOIN contract_classes ON contract_classes.contract_class = named.contract_class
LEFT JOIN by_error ON by_error.contract_class = named.contract_class
LEFT JOIN by_run ON by_run.contract_class = named.contract_class
ORDER BY errors DESC, runs DESC, named.contract_class
