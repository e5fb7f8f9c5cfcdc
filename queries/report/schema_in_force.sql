-- The newest migration of the store: the version of its tables.
SELECT
    version,
    name
FROM schema_version
ORDER BY version DESC
LIMIT 1
