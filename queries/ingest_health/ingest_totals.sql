-- What ingest did over all files: records = stored + duplicates + rejected + skipped.
SELECT
    count(*) AS files,
    count(*) FILTER (status = 'loaded') AS loaded,
    count(*) FILTER (status = 'refused') AS refused,
    count(*) FILTER (status = 'ignored') AS ignored,
    CAST(coalesce(sum(records), 0) AS BIGINT) AS records,
    CAST(coalesce(sum(stored), 0) AS BIGINT) AS stored,
    CAST(coalesce(sum(duplicates), 0) AS BIGINT) AS duplicates,
    CAST(coalesce(sum(rejected), 0) AS BIGINT) AS rejected,
    CAST(coalesce(sum(skipped), 0) AS BIGINT) AS skipped,
    max(ingested_at) AS last_ingest
FROM source_files
ORDER BY files
