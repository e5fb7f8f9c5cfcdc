-- What ingest did over all files: records = stored + duplicates + rejected + skipped. A file that has grown counts once,
-- as it is now: what its shorter version had stored is stored, and no duplicate.
-- portable
WITH counted AS (
    SELECT
        count(*) FILTER (status <> 'superseded') AS files,
        count(*) FILTER (status = 'loaded') AS loaded,
        count(*) FILTER (status = 'refused') AS refused,
        count(*) FILTER (status = 'ignored') AS ignored,
        CAST(coalesce(sum(records) FILTER (status <> 'superseded'), 0) AS BIGINT) AS records,
        CAST(coalesce(sum(stored), 0) AS BIGINT) AS stored,
        CAST(coalesce(sum(rejected) FILTER (status <> 'superseded'), 0) AS BIGINT) AS rejected,
        CAST(coalesce(sum(skipped) FILTER (status <> 'superseded'), 0) AS BIGINT) AS skipped,
        max(ingested_at) AS last_ingest
    FROM source_files
)
SELECT
    files,
    loaded,
    refused,
    ignored,
    records,
    stored,
    greatest(records - stored - rejected - skipped, 0) AS duplicates,
    rejected,
    skipped,
    last_ingest
FROM counted
ORDER BY files
