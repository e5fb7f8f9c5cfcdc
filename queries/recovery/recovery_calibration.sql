-- Confidence against success, in ten bins: of the finished attempts that record a confidence, how many recovered.
-- A bin that nothing falls into has no rate. `gap` is average confidence minus success rate: over 0 is too sure.
-- portable
WITH attempts AS (
    SELECT
        least(floor(confidence * 10), 9) AS bin,
        confidence,
        outcome = 'RECOVERED' AS recovered
    FROM recovery_attempts
    WHERE counted_as = 'finished'
      AND confidence IS NOT NULL
      AND (basis = 'recorded' OR $derived)
      AND ($chain IS NULL OR chain = $chain)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR happened_at >= $since)
      AND ($until IS NULL OR happened_at < $until)
),
counted AS (
    SELECT
        bin,
        count(*) AS attempts,
        count(*) FILTER (recovered) AS recovered,
        avg(confidence) AS avg_confidence
    FROM attempts
    GROUP BY bin
),
bins AS (
    SELECT unnest(generate_series(0, 9)) AS bin
)
SELECT
    bins.bin / 10 AS bin_low,
    (bins.bin + 1) / 10 AS bin_high,
    coalesce(attempts, 0) AS attempts,
    coalesce(recovered, 0) AS recovered,
    avg_confidence,
    recovered / attempts AS success_rate,
    CASE
        WHEN recovered = 0 THEN 0e0
        ELSE (recovered + 1.9207294103470618e0
              - 1.959963984540054e0 * sqrt(recovered * (attempts - recovered) / attempts + 0.9603647051735309e0))
             / (attempts + 3.8414588206941236e0)
    END AS success_low,
    CASE
        WHEN recovered = attempts THEN 1e0
        ELSE (recovered + 1.9207294103470618e0
              + 1.959963984540054e0 * sqrt(recovered * (attempts - recovered) / attempts + 0.9603647051735309e0))
             / (attempts + 3.8414588206941236e0)
    END AS success_high,
    avg_confidence - recovered / attempts AS gap
FROM bins
LEFT JOIN counted ON counted.bin = bins.bin
ORDER BY bins.bin
