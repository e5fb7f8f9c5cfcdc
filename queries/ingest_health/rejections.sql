-- Records that were refused, with where each stands, why, and its raw text (cut, secrets masked).
-- portable
SELECT
    source_files.path,
    rejections.part,
    rejections.line,
    rejections.offset_bytes,
    coalesce(rejections.reason, 'not recorded') AS reason,
    rejections.message,
    rejections.raw,
    count(*) OVER () AS matching
FROM rejections
LEFT JOIN source_files ON source_files.file_id = rejections.file_id
WHERE ($reason IS NULL OR rejections.reason = $reason)
-- Of a document, or of one line, many are refused at the same place: pages of them lose none.
ORDER BY
    source_files.path,
    rejections.part,
    rejections.line,
    rejections.offset_bytes,
    rejections.reason,
    rejections.message,
    rejections.raw
LIMIT $limit OFFSET $offset
