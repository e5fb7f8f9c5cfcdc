-- Records that ingest left out on purpose (a template, a quotation, an incomplete last line), by file and reason.
-- portable
SELECT
    source_files.path,
    coalesce(skipped_records.reason, 'not recorded') AS reason,
    CAST(sum(coalesce(skipped_records.records, 1)) AS BIGINT) AS records,
    count(*) OVER () AS matching
FROM skipped_records
LEFT JOIN source_files ON source_files.file_id = skipped_records.file_id
GROUP BY source_files.path, skipped_records.reason
ORDER BY records DESC, source_files.path, reason
LIMIT $limit OFFSET $offset
