-- The files that ingest met, the newest first, with what became of their records; a companion follows its file.
-- `accounted`: records = stored + duplicates + rejected + skipped. `matching` counts all of them, on whichever page.
-- portable
WITH met AS (
    SELECT
        coalesce(source_files.path, source_files.file_id) AS path,
        source_files.format,
        main.path AS companion_of,
        coalesce(source_files.status, 'not recorded') AS status,
        source_files.reason,
        coalesce(source_files.records, 0) AS records,
        coalesce(source_files.stored, 0) AS stored,
        coalesce(source_files.duplicates, 0) AS duplicates,
        coalesce(source_files.rejected, 0) AS rejected,
        coalesce(source_files.skipped, 0) AS skipped,
        source_files.bytes,
        source_files.ingested_at,
        source_files.file_id
    FROM source_files
    LEFT JOIN source_files AS main ON main.file_id = source_files.belongs_to
)
SELECT
    path,
    format,
    companion_of,
    status,
    reason,
    records,
    stored,
    duplicates,
    rejected,
    skipped,
    records = stored + duplicates + rejected + skipped AS accounted,
    bytes,
    ingested_at,
    file_id,
    count(*) OVER () AS matching
FROM met
WHERE ($search IS NULL OR contains(lower(concat_ws(' ', path, format, status, reason)), lower($search)))
ORDER BY ingested_at DESC NULLS LAST, coalesce(companion_of, path), companion_of NULLS FIRST, path, file_id
LIMIT $limit OFFSET $offset
