-- Why records were refused, the most frequent reason first.
-- portable
SELECT
    coalesce(reason, 'not recorded') AS reason,
    count(*) AS records,
    count(DISTINCT file_id) AS files
FROM rejections
GROUP BY reason
ORDER BY records DESC, reason
