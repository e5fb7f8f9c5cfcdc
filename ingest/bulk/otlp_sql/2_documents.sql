-- The attributes that hold documents, of the spans that have some.
SELECT spans.rowid AS span_row, '{' || otlp_members_at(names, said, documents_at) || '}' AS documents
FROM otlp_spans spans JOIN otlp_shapes shapes USING (keys)
WHERE len(documents_at) > 0 AND shape_left IS NULL AND list_count(said) = len(said);
